// Debug information, which LLVM's C interface can build and hardly read.
#include "shim.h"
#include <llvm-c/Core.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalVariable.h>

using namespace llvm;

extern "C" {

// One node of debug information; which fields mean something depends on `tag`.
struct HydrogenDebug {
  uint32_t tag; // DWARF's
  uint32_t encoding;
  uint32_t line;
  uint32_t argument; // from 1; 0 for what is not a parameter
  uint64_t size_bits;
  uint64_t offset_bits;
  HydrogenBytes name;
  LLVMMetadataRef base; // the type of a variable or member, the target of a pointer, the type of a function
  LLVMMetadataRef file;
  LLVMMetadataRef elements; // a tuple, see hydrogen_debug_element
  size_t element_count;
  uint64_t value[2]; // of an enumerator, sign-extended; of a subrange, its length
  bool known;        // whether a subrange has a constant length
  bool bit_field;
  bool is_static;
  LLVMMetadataRef scope; // the block inside of its function that a variable belongs to, or null
};

void hydrogen_debug(LLVMMetadataRef reference, HydrogenDebug *out) {
  *out = {};
  auto *node = dyn_cast_or_null<DINode>(unwrap(reference));
  if (!node)
    return;
  out->tag = node->getTag();
  auto elements = [out](const DINodeArray &array) {
    out->elements = wrap(array.get());
    out->element_count = array.get() ? array.size() : 0;
  };
  if (auto *type = dyn_cast<DIType>(node)) {
    out->name = bytes(type->getName());
    out->size_bits = type->getSizeInBits();
    out->offset_bits = type->getOffsetInBits();
    out->line = type->getLine();
    out->bit_field = type->isBitField();
    out->is_static = type->isStaticMember();
  }
  if (auto *basic = dyn_cast<DIBasicType>(node)) {
    out->encoding = basic->getEncoding();
  } else if (auto *derived = dyn_cast<DIDerivedType>(node)) {
    out->base = wrap(derived->getRawBaseType());
  } else if (auto *composite = dyn_cast<DICompositeType>(node)) {
    out->base = wrap(composite->getRawBaseType());
    elements(composite->getElements());
  } else if (auto *routine = dyn_cast<DISubroutineType>(node)) {
    out->elements = wrap(routine->getRawTypeArray());
    out->element_count = routine->getTypeArray().get() ? routine->getTypeArray().size() : 0;
  } else if (auto *range = dyn_cast<DISubrange>(node)) {
    if (auto *count = dyn_cast_if_present<ConstantInt *>(range->getCount())) {
      // clang writes -1 for `int a[]`.
      out->known = !count->isMinusOne();
      out->value[0] = count->getZExtValue();
    }
  } else if (auto *enumerator = dyn_cast<DIEnumerator>(node)) {
    out->name = bytes(enumerator->getName());
    const APInt &value = enumerator->getValue();
    APInt wide = enumerator->isUnsigned() ? value.zextOrTrunc(128) : value.sextOrTrunc(128);
    out->value[0] = wide.getRawData()[0];
    out->value[1] = wide.getRawData()[1];
  } else if (auto *variable = dyn_cast<DIVariable>(node)) {
    out->name = bytes(variable->getName());
    out->base = wrap(variable->getRawType());
    out->file = wrap(variable->getRawFile());
    out->line = variable->getLine();
    if (auto *local = dyn_cast<DILocalVariable>(variable)) {
      out->argument = local->getArg();
      if (isa_and_nonnull<DILexicalBlockBase>(local->getRawScope()))
        out->scope = wrap(local->getRawScope());
    }
  } else if (auto *program = dyn_cast<DISubprogram>(node)) {
    out->name = bytes(program->getName());
    out->base = wrap(program->getRawType());
    out->file = wrap(program->getRawFile());
    out->line = program->getLine();
  }
}

// The n-th part of a tuple; null where the language has `void` or `...`.
LLVMMetadataRef hydrogen_debug_element(LLVMMetadataRef tuple, size_t index) {
  return wrap(cast<MDTuple>(unwrap(tuple))->getOperand(index).get());
}

// The description of a global variable, or null.
LLVMMetadataRef hydrogen_debug_global(LLVMValueRef value) {
  auto *global = dyn_cast<GlobalVariable>(unwrap(value));
  if (!global)
    return nullptr;
  SmallVector<DIGlobalVariableExpression *, 1> found;
  global->getDebugInfo(found);
  return found.empty() ? nullptr : wrap(found.front()->getVariable());
}

// The file of a scope, or null. A location in a lexical block belongs to the block's file.
LLVMMetadataRef hydrogen_scope_file(LLVMMetadataRef scope) {
  auto *node = dyn_cast_or_null<DIScope>(unwrap(scope));
  return node ? wrap(static_cast<Metadata *>(node->getFile())) : nullptr;
}

// The scope that a block is in, or null for what is no block.
LLVMMetadataRef hydrogen_scope_around(LLVMMetadataRef scope) {
  auto *block = dyn_cast_or_null<DILexicalBlockBase>(unwrap(scope));
  return block ? wrap(block->getRawScope()) : nullptr;
}

HydrogenBytes hydrogen_file_name(LLVMMetadataRef file) {
  auto *node = dyn_cast_or_null<DIFile>(unwrap(file));
  return bytes(node ? node->getFilename() : StringRef());
}

HydrogenBytes hydrogen_file_directory(LLVMMetadataRef file) {
  auto *node = dyn_cast_or_null<DIFile>(unwrap(file));
  return bytes(node ? node->getDirectory() : StringRef());
}
}
