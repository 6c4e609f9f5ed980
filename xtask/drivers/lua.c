/* Runs the Lua script on standard input; the arguments are its `arg`. */
#include <stdio.h>
#include "lua.h"
#include "lauxlib.h"
#include "lualib.h"

int main(int argc, char **argv)
{
	static char text[1 << 20];
	size_t length = fread(text, 1, sizeof text, stdin);
	lua_State *L = luaL_newstate();
	if (!L) return 2;
	luaL_openlibs(L);
	lua_createtable(L, argc, 0);
	for (int i = 0; i < argc; i++) {
		lua_pushstring(L, argv[i]);
		lua_rawseti(L, -2, i);
	}
	lua_setglobal(L, "arg");
	int status = luaL_loadbuffer(L, text, length, "=stdin") || lua_pcall(L, 0, 0, 0);
	if (status) fprintf(stderr, "lua: %s\n", lua_tostring(L, -1));
	lua_close(L);
	return status;
}
