/* Documents that were made in a file become bytes of a sink. */
#ifndef OBSTREAM_STREAM_SEND_H
#define OBSTREAM_STREAM_SEND_H

#include "obstream/output/xlsx.h"
#include "obstream/stream/sink.h"

/* Packs the spreadsheet and hands its bytes to the sink. */
bool xlsx_send(struct xlsx *x, struct sink *sink, struct err *e) MUST_CHECK;

#endif
