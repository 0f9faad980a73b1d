#ifndef COPENSSL_SHIM_H
#define COPENSSL_SHIM_H

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/rand.h>
#include <openssl/x509.h>

/* EVP_PKEY_PUBLIC_KEY is a macro that Swift does not import. */
static inline int copenssl_publicKeySelection(void) { return EVP_PKEY_PUBLIC_KEY; }

#endif
