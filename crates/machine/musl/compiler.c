/* What compilers keep in a library of their own, for programs that ask which processor they run on: one with what all x86-64
 * processors have, so that they take the way that all can go. */
struct __processor_model { unsigned vendor, type, subtype, features[1]; };
struct __processor_model __cpu_model = { 1, 0, 0, { 1u << 0 | 1u << 1 | 1u << 3 | 1u << 4 } };
unsigned __cpu_features2[3];

int __cpu_indicator_init(void)
{
	return 0;
}
