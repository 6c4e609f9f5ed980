// Records what the preprocessed text does not show and the model depends on.
#pragma once
#include <string>

namespace clang {
class Preprocessor;
}

namespace hydrogen {
// From now on, appends to `out` the place of every token and the source text of every macro use.
void record_places(clang::Preprocessor &preprocessor, std::string &out);
} // namespace hydrogen
