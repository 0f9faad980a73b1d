#ifndef CLIBZIPLOADER_H
#define CLIBZIPLOADER_H

/* Loads libzip. Returns why it could not be loaded, or NULL. */
const char *clibziploader_error(void);

#endif
