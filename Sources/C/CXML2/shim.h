#include <libxml/xmlversion.h>
/* The headers of ICU, which only a private structure needs, collide with Foundation's own ICU. */
#undef LIBXML_ICU_ENABLED
#include <libxml/xmlreader.h>
#include <libxml/xmlschemas.h>
