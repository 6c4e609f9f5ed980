// Preprocessed text alone does not identify a model: statements carry the text *before* macro expansion, and
// columns. `f(ONE)` and `f(1)` preprocess to the same text. So the identity of a unit also covers the place of
// every token and the text of every macro use.
#include "places.h"
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>
#include <cstdio>
#include <unistd.h>

using namespace clang;

namespace {

void number(std::string &out, unsigned value) {
  while (value >= 0x80) {
    out.push_back(char(value | 0x80));
    value >>= 7;
  }
  out.push_back(char(value));
}

class MacroUses : public PPCallbacks {
public:
  MacroUses(SourceManager &sources, const LangOptions &options, std::string &out)
      : sources(sources), options(options), out(out) {}

  void MacroExpands(const Token &, const MacroDefinition &, SourceRange range, const MacroArgs *) override {
    // A use inside another use is part of the outer one's text.
    if (!range.getBegin().isFileID())
      return;
    out += Lexer::getSourceText(CharSourceRange::getTokenRange(range), sources, options);
    out.push_back('\0');
  }

private:
  SourceManager &sources;
  const LangOptions &options;
  std::string &out;
};

// Macros that double themselves make more tokens than anybody waits for. No larger program is known than a fifth of this.
constexpr unsigned long most_tokens = 8000000;
// The tool knows by this that a limit was met, and what the limit was by the last line of the error stream.
constexpr int limit_met = 71;

} // namespace

void hydrogen::record_places(Preprocessor &preprocessor, std::string &out) {
  SourceManager &sources = preprocessor.getSourceManager();
  preprocessor.addPPCallbacks(std::make_unique<MacroUses>(sources, preprocessor.getLangOpts(), out));
  preprocessor.setTokenWatcher([&sources, &out, last = SourceLocation(), count = 0ul](const Token &token) mutable {
    // clang cannot be stopped in the middle of an expansion, but its process can.
    if (++count > most_tokens) {
      fprintf(stderr, "it is not read: macros make more than %lu tokens of it\n", most_tokens);
      _exit(limit_met);
    }
    // Where the file ends is no part of the model: a comment may follow the last token.
    if (token.is(tok::eof))
      return;
    SourceLocation place = sources.getExpansionLoc(token.getLocation());
    if (place == last)
      return;
    last = place;
    auto [file, offset] = sources.getDecomposedLoc(place);
    if (file.isInvalid())
      return;
    number(out, sources.getLineNumber(file, offset));
    number(out, sources.getColumnNumber(file, offset));
  });
}
