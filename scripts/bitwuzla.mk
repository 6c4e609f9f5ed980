# Compiles Bitwuzla and CaDiCaL into one static library; run by vendor-bitwuzla.sh in a folder that holds the unpacked
# packages as `solver` and `sat`. Left out: parsers and programs, which the library does not need.

BITWUZLA := solver/bitwuzla
CADICAL := sat/cppsrc

sources := $(shell find $(BITWUZLA)/src -name '*.cpp' \
	-not -path '*/parser/*' -not -name parser.cpp -not -path '*/main/*' -not -path '*/python/*' | LC_ALL=C sort)
sat_sources := $(filter-out %/cadical.cpp %/mobical.cpp %/ipasir.cpp, $(sort $(wildcard $(CADICAL)/src/*.cpp)))

objects := $(sources:%.cpp=out/%.o) $(sat_sources:%.cpp=out/%.o)

CXXFLAGS := -O2 -DNDEBUG -w -fPIC
BITWUZLA_FLAGS := -std=c++17 -DHAVE_RUSAGE -Igenerated -I$(BITWUZLA)/include -I$(BITWUZLA)/src -I$(BITWUZLA)/src/lib \
	-I$(CADICAL)/src -Isat/cpp-extension
CADICAL_FLAGS := -std=c++11 -DNBUILD -DNCONTRACTS -DNTRACING -DQUIET -I$(CADICAL)/src -Isat/cpp-extension

libbitwuzla.a: $(objects)
	ar rcs $@ $(objects)

$(sources:%.cpp=out/%.o): out/%.o: %.cpp generated/config.h
	@mkdir -p $(@D)
	$(CXX) $(CXXFLAGS) $(BITWUZLA_FLAGS) -c $< -o $@

$(sat_sources:%.cpp=out/%.o): out/%.o: %.cpp
	@mkdir -p $(@D)
	$(CXX) $(CXXFLAGS) $(CADICAL_FLAGS) -c $< -o $@

# What Bitwuzla's own build would generate.
generated/config.h: $(BITWUZLA)/src/config.h.in
	@mkdir -p $(@D)
	sed -e 's/@is_[a-z_]*@/false/g' -e 's/@version@/0.8.0/' -e 's/@[a-z_]*@//g' $< >$@
