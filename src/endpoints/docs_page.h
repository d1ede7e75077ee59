/* The plain help page: all endpoints, parameters, columns and formats as HTML. */
#ifndef OBSTREAM_SRC_ENDPOINTS_DOCS_PAGE_H
#define OBSTREAM_SRC_ENDPOINTS_DOCS_PAGE_H

#include "obstream/core/buf.h"

void docs_page(struct buf *b);

#endif
