// For Wine, which lacks this library of Windows: the random numbers that Rust's standard library asks for. Build it with
//
//   x86_64-w64-mingw32-gcc -shared -o bcryptprimitives.dll tests/bcryptprimitives.c -ladvapi32
//
// and put it beside malecon.exe.
#include <windows.h>
#include <ntsecapi.h>

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE bytes, SIZE_T count) {
    return RtlGenRandom(bytes, (ULONG)count);
}
