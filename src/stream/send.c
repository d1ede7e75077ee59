#include "obstream/stream/send.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { READ_BLOCK = 32 << 10 };

bool xlsx_send(struct xlsx *x, struct sink *sink, struct err *e)
{
    char block[READ_BLOCK];
    off_t pos = 0;
    ssize_t n;
    int fd = xlsx_pack(x, e);
    if (fd < 0)
        return false;
    while ((n = pread(fd, block, sizeof(block), pos)) != 0) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_set(e, ERR_IO, "cannot read the spreadsheet back: %s", strerror(errno));
        sink_write(sink, block, (size_t)n);
        if (sink->err.kind != ERR_NONE)
            return err_set(e, sink->err.kind, "%s", sink->err.msg);
        pos += n;
    }
    return true;
}
