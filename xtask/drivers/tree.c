/* A binary search tree: keys from the input are put in, the output is the depth of one of them. */
#include <hydrogen.h>
#include <stdlib.h>

struct node {
	signed char key;
	struct node *left, *right;
};

static int size, rejected;

static struct node *insert(struct node *at, signed char key)
{
	if (!at) {
		at = calloc(1, sizeof *at);
		at->key = key;
		size++;
		return at;
	}
	if (key < at->key)
		at->left = insert(at->left, key);
	else if (key > at->key)
		at->right = insert(at->right, key);
	else
		rejected++;
	return at;
}

static int depth_of(const struct node *at, signed char key)
{
	int depth = 0;
	while (at && at->key != key) {
		at = key < at->key ? at->left : at->right;
		depth++;
	}
	return at ? depth : -1;
}

int main(void)
{
	signed char keys[4], wanted;
	struct node *root = 0;
	hydrogen_symbolic(keys, sizeof keys, "keys");
	hydrogen_symbolic(&wanted, sizeof wanted, "wanted");
	for (int i = 0; i < 4; i++)
		root = insert(root, keys[i]);
	hydrogen_output("depth", depth_of(root, wanted));
	return 0;
}
