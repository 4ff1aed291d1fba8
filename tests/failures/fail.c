// Loaded into a program with LD_PRELOAD, makes the system refuse one request of the program, or several in a row.
//
//   FAIL_KIND   memory, write, open or start (of a thread or process)
//   FAIL_AT     the number of the first request that is refused, counting those of this kind from 1
//   FAIL_LAST   the number of the last
//   FAIL_MARK   a file that is created when a request is refused
//
// Only requests of the program itself count, not those that the C library makes on its own, and not those of the
// processes that it starts.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static const char *kind = "", *mark;
static long first, last;
static atomic_long requests;
// Where the program's own instructions are.
static uintptr_t begin, end;

static int find_program(struct dl_phdr_info *info, size_t size, void *data) {
    (void)size, (void)data;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && part->p_flags & PF_X) {
            begin = info->dlpi_addr + part->p_vaddr;
            end = begin + part->p_memsz;
        }
    }
    return 1; // The program comes first, and libraries after it.
}

__attribute__((constructor)) static void prepare(void) {
    dl_iterate_phdr(find_program, NULL);
    first = atol(getenv("FAIL_AT"));
    last = atol(getenv("FAIL_LAST"));
    mark = getenv("FAIL_MARK");
    kind = getenv("FAIL_KIND");
    unsetenv("LD_PRELOAD");
}

static int is_refused(const char *of, void *caller, int error) {
    uintptr_t at = (uintptr_t)caller;
    if (strcmp(kind, of) != 0 || at < begin || at >= end) return 0;
    long request = atomic_fetch_add(&requests, 1) + 1;
    if (request < first || request > last) return 0;
    syscall(SYS_close, syscall(SYS_openat, AT_FDCWD, mark, O_CREAT | O_WRONLY, 0600));
    errno = error;
    return 1;
}

#define REFUSED(of, error) is_refused(of, __builtin_return_address(0), error)

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t),
    *__libc_memalign(size_t, size_t);

void *malloc(size_t size) { return REFUSED("memory", ENOMEM) ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return REFUSED("memory", ENOMEM) ? NULL : __libc_calloc(count, size); }
void *realloc(void *old, size_t size) { return REFUSED("memory", ENOMEM) ? NULL : __libc_realloc(old, size); }
int posix_memalign(void **out, size_t alignment, size_t size) {
    if (REFUSED("memory", ENOMEM)) return ENOMEM;
    return (*out = __libc_memalign(alignment, size)) ? 0 : ENOMEM;
}

ssize_t write(int file, const void *data, size_t size) {
    return REFUSED("write", ENOSPC) ? -1 : syscall(SYS_write, file, data, size);
}
ssize_t writev(int file, const struct iovec *parts, int count) {
    return REFUSED("write", ENOSPC) ? -1 : syscall(SYS_writev, file, parts, count);
}
ssize_t send(int socket, const void *data, size_t size, int flags) {
    // With this flag, a signal handler wakes a thread, which no disk or network can prevent.
    return !(flags & MSG_DONTWAIT) && REFUSED("write", ENOBUFS) ? -1 : syscall(SYS_sendto, socket, data, size, flags, NULL, 0);
}
int ftruncate64(int file, off64_t size) { return REFUSED("write", EIO) ? -1 : syscall(SYS_ftruncate, file, size); }
int fsync(int file) { return REFUSED("write", EIO) ? -1 : syscall(SYS_fsync, file); }
int rename(const char *from, const char *to) {
    return REFUSED("write", EIO) ? -1 : syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int open64(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
    va_end(more);
    return REFUSED("open", EMFILE) ? -1 : syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}
int socketpair(int domain, int type, int protocol, int pair[2]) {
    return REFUSED("open", EMFILE) ? -1 : syscall(SYS_socketpair, domain, type, protocol, pair);
}
int pipe2(int pair[2], int flags) { return REFUSED("open", EMFILE) ? -1 : syscall(SYS_pipe2, pair, flags); }
int accept4(int socket, struct sockaddr *address, socklen_t *size, int flags) {
    return REFUSED("open", EMFILE) ? -1 : syscall(SYS_accept4, socket, address, size, flags);
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*work)(void *), void *argument) {
    return REFUSED("start", EAGAIN) ? EAGAIN : NEXT(pthread_create)(thread, attributes, work, argument);
}
int posix_spawnp(pid_t *id, const char *file, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[]) {
    if (REFUSED("start", EAGAIN)) return EAGAIN;
    return NEXT(posix_spawnp)(id, file, actions, attributes, arguments, environment);
}
pid_t fork(void) { return REFUSED("start", EAGAIN) ? -1 : NEXT(fork)(); }
