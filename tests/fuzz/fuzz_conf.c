/* A configuration file: what is read prints as a file that reads back the same. */
#include "fuzz.h"

#include "obstream/conf/conf.h"

#include <jansson.h>
#include <sys/mman.h>
#include <unistd.h>

static bool conf_from(struct conf *c, const void *data, size_t size, struct err *e)
{
    char path[64];
    int fd = memfd_create("conf", MFD_CLOEXEC);
    MUST(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    struct err none = ERR_INIT;
    MUST(conf_init(c, &none));
    bool ok = conf_read_file(c, path, e);
    close(fd);
    return ok;
}

static void check_read_back(const struct conf *c)
{
    struct conf again;
    struct err e = ERR_INIT;
    struct buf first = BUF_INIT(BUF_LIMIT_MESSAGE), second = BUF_INIT(BUF_LIMIT_MESSAGE);
    conf_print_ini(c, &first);
    MUST(!first.failed);
    if (!conf_from(&again, first.data, first.len, &e)) {
        fprintf(stderr, "%s\n", e.msg);
        abort();
    }
    conf_print_ini(&again, &second);
    MUST(strcmp(first.data, second.data) == 0);
    conf_release(&again);
    buf_release(&first);
    buf_release(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct conf c;
    struct err e = ERR_INIT;
    if (conf_from(&c, data, size, &e))
        check_read_back(&c);
    else
        MUST(e.kind == ERR_PARAM && strstr(e.msg, " line ") != NULL);
    char *json = conf_print_json(&c);
    json_t *root = json_loads(json, 0, NULL);
    MUST(root != NULL);
    json_decref(root);
    free(json);
    conf_release(&c);
    return 0;
}
