// Getters that LLVM 19's C interface lacks.
#include "shim.h"
#include <llvm-c/Core.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Metadata.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>

using namespace llvm;

extern "C" {

// The words of an integer constant, least significant first; they live as long as the constant.
const uint64_t *hydrogen_int_words(LLVMValueRef value, size_t *count) {
  const APInt &bits = cast<ConstantInt>(unwrap(value))->getValue();
  *count = bits.getNumWords();
  return bits.getRawData();
}

// The bit pattern of a floating-point constant.
void hydrogen_float_bits(LLVMValueRef value, uint64_t words[2]) {
  APInt bits = cast<ConstantFP>(unwrap(value))->getValueAPF().bitcastToAPInt();
  words[0] = bits.getRawData()[0];
  words[1] = bits.getNumWords() > 1 ? bits.getRawData()[1] : 0;
}

// The raw bytes of an array of integers or floats, in the host's order.
HydrogenBytes hydrogen_raw_data(LLVMValueRef value) {
  return bytes(cast<ConstantDataSequential>(unwrap(value))->getRawDataValues());
}

LLVMAtomicOrdering hydrogen_fence_ordering(LLVMValueRef value) {
  return static_cast<LLVMAtomicOrdering>(cast<FenceInst>(unwrap(value))->getOrdering());
}

// Debug variables become records beside the instructions, whatever the form the module came in.
void hydrogen_normalise(LLVMModuleRef module) { unwrap(module)->setIsNewDbgInfoFormat(true); }

// LLVM's own counts: functions, blocks, edges, instructions.
void hydrogen_count(LLVMModuleRef module, uint64_t counts[4]) {
  for (Function &function : *unwrap(module)) {
    ++counts[0];
    for (BasicBlock &block : function) {
      ++counts[1];
      counts[2] += succ_size(&block);
    }
    counts[3] += function.getInstructionCount();
  }
}

// Calls `found` for each variable of the function: its description, its declaration's location, its address, and the
// instruction before which it is declared.
void hydrogen_variables(LLVMValueRef function, void *context,
                        void (*found)(void *, LLVMMetadataRef, LLVMMetadataRef, LLVMValueRef, LLVMValueRef)) {
  for (BasicBlock &block : *cast<Function>(unwrap(function)))
    for (Instruction &instruction : block)
      for (DbgVariableRecord &record : filterDbgVars(instruction.getDbgRecordRange()))
        if (record.isDbgDeclare())
          found(context, wrap(record.getVariable()), wrap(record.getDebugLoc().get()),
                wrap(record.getVariableLocationOp(0)), wrap(&instruction));
}

// Metadata that an intrinsic takes as an argument, as text that does not depend on metadata numbering.
// The caller frees it with LLVMDisposeMessage.
char *hydrogen_metadata_text(LLVMValueRef value) {
  std::string text;
  raw_string_ostream out(text);
  Metadata *metadata = cast<MetadataAsValue>(unwrap(value))->getMetadata();
  auto print = [&out](const Metadata *part) {
    if (auto *string = dyn_cast_or_null<MDString>(part))
      out << string->getString();
    else if (auto *constant = dyn_cast_or_null<ValueAsMetadata>(part))
      constant->getValue()->printAsOperand(out);
    else
      out << "?";
  };
  if (auto *tuple = dyn_cast<MDTuple>(metadata)) {
    const char *separator = "";
    for (const MDOperand &part : tuple->operands()) {
      out << separator;
      print(part.get());
      separator = " ";
    }
  } else {
    print(metadata);
  }
  return LLVMCreateMessage(out.str().c_str());
}
}
