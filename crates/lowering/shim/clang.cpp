// Runs clang inside this process: a compile command in; a module, or preprocessed text, and the files read out.
#include "places.h"
#include "shim.h"
#include <clang/Basic/DiagnosticOptions.h>
#include <clang/CodeGen/CodeGenAction.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/FrontendActions.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <clang/Frontend/Utils.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <unistd.h>

using namespace clang;
using llvm::StringRef;

// The outcome of one run; opaque to Rust.
struct HydrogenResult {
  bool success = false;
  std::unique_ptr<llvm::Module> module;
  std::string diagnostics; // errors of the compilation
  std::string warnings;    // what the driver did not understand and left out
  std::string text;        // preprocessed text
  std::string places;      // see places.cpp
  std::vector<std::string> dependencies;
};

namespace {

class AllFiles : public DependencyCollector {
  bool needSystemDependencies() override { return true; }
  bool sawDependency(StringRef name, bool, bool, bool, bool missing) override {
    return !missing && !name.empty() && name.front() != '<';
  }
};

class Preprocess : public PreprocessorFrontendAction {
public:
  explicit Preprocess(HydrogenResult &result) : result(result) {}

private:
  void ExecuteAction() override {
    Preprocessor &preprocessor = getCompilerInstance().getPreprocessor();
    hydrogen::record_places(preprocessor, result.places);
    PreprocessorOutputOptions options;
    options.ShowCPP = true;
    options.ShowLineMarkers = true;
    llvm::raw_string_ostream out(result.text);
    DoPrintPreprocessedInput(preprocessor, &out, options);
  }

  HydrogenResult &result;
};

// The one way in which every unit is compiled, whatever the user's command says.
void configure(CompilerInvocation &invocation) {
  CodeGenOptions &code = invocation.getCodeGenOpts();
  code.OptimizationLevel = 0;
  code.OptimizeSize = 0;
  code.DisableO0ImplyOptNone = true;
  // Even at -O0 clang would inline `always_inline` functions and drop them; the model shows what was written.
  code.DisableLLVMPasses = true;
  code.DiscardValueNames = false;
  code.DebugColumnInfo = true;
  code.VerifyModule = false; // Verified once, by the caller, where an error can be returned.
  // This process goes on to the next unit, so everything is freed.
  code.DisableFree = false;
  code.ClearASTBeforeBackend = true;
  invocation.getFrontendOpts().DisableFree = false;
  invocation.getFrontendOpts().Plugins.clear();
  invocation.getDependencyOutputOpts() = DependencyOutputOptions();
  // __DATE__ and __TIME__ must not make a version differ from itself.
  invocation.getPreprocessorOpts().SourceDateEpoch = 0;
}

void run(FrontendAction &action, const char *const *arguments, size_t count, const char *directory,
         HydrogenResult &result) {
  // A file system with its own working directory: the process never changes its own.
  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files = llvm::vfs::createPhysicalFileSystem();
  if (std::error_code error = files->setCurrentWorkingDirectory(directory)) {
    result.diagnostics = "cannot enter directory '" + std::string(directory) + "': " + error.message();
    return;
  }
  llvm::raw_string_ostream errors(result.diagnostics), warnings(result.warnings);

  llvm::IntrusiveRefCntPtr<DiagnosticOptions> options(new DiagnosticOptions());
  CreateInvocationOptions creation;
  creation.Diags = CompilerInstance::createDiagnostics(
      options.get(), new TextDiagnosticPrinter(warnings, options.get()), /*ShouldOwnClient=*/true);
  creation.VFS = files;
  // Commands are often written for another compiler: an option clang does not know is reported, not fatal.
  creation.RecoverOnError = true;
  std::unique_ptr<CompilerInvocation> invocation =
      createInvocation(llvm::ArrayRef<const char *>(arguments, count), creation);
  if (!invocation) {
    warnings.flush();
    result.diagnostics = result.warnings.empty() ? "clang cannot read this compile command" : result.warnings;
    return;
  }
  configure(*invocation);

  CompilerInstance compiler;
  compiler.setInvocation(std::move(invocation));
  compiler.getDiagnosticOpts().ShowColors = false;
  compiler.setVerboseOutputStream(llvm::nulls());
  compiler.createDiagnostics(new TextDiagnosticPrinter(errors, &compiler.getDiagnosticOpts()),
                             /*ShouldOwnClient=*/true);
  compiler.createFileManager(files);
  compiler.createSourceManager(compiler.getFileManager());
  auto dependencies = std::make_shared<AllFiles>();
  compiler.addDependencyCollector(dependencies);
  result.success = compiler.ExecuteAction(action);
  result.dependencies = dependencies->getDependencies().vec();
}

} // namespace

extern "C" {

HydrogenResult *hydrogen_compile(LLVMContextRef context, const char *const *arguments, size_t count,
                                 const char *directory) {
  auto *result = new HydrogenResult;
  EmitLLVMOnlyAction action(llvm::unwrap(context));
  run(action, arguments, count, directory, *result);
  if (result->success)
    result->module = action.takeModule();
  return result;
}

HydrogenResult *hydrogen_preprocess(const char *const *arguments, size_t count, const char *directory) {
  auto *result = new HydrogenResult;
  Preprocess action(*result);
  run(action, arguments, count, directory, *result);
  return result;
}

bool hydrogen_result_success(const HydrogenResult *result) { return result->success; }

LLVMModuleRef hydrogen_result_take_module(HydrogenResult *result) {
  return llvm::wrap(result->module.release());
}

HydrogenBytes hydrogen_result_diagnostics(const HydrogenResult *result) { return bytes(result->diagnostics); }
HydrogenBytes hydrogen_result_warnings(const HydrogenResult *result) { return bytes(result->warnings); }
HydrogenBytes hydrogen_result_text(const HydrogenResult *result) { return bytes(result->text); }
HydrogenBytes hydrogen_result_places(const HydrogenResult *result) { return bytes(result->places); }

size_t hydrogen_result_dependencies(const HydrogenResult *result) { return result->dependencies.size(); }
HydrogenBytes hydrogen_result_dependency(const HydrogenResult *result, size_t index) {
  return bytes(result->dependencies[index]);
}

void hydrogen_result_free(HydrogenResult *result) { delete result; }

// Gives the caller the real standard output and sends whatever is printed there from now on to standard error.
int hydrogen_take_stdout(void) {
  int real = dup(STDOUT_FILENO);
  if (real >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
    return -1;
  return real;
}
}
