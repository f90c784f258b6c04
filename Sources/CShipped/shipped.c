// The files of `providers` are part of the program, which is one file. A new one needs its bytes and its place in the
// list here; its name is a name in C, too.
#include "shipped.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char expo[] = {
#embed "providers/expo.json"
};
static const unsigned char gotify[] = {
#embed "providers/gotify.json"
};
static const unsigned char hms[] = {
#embed "providers/hms.json"
};
static const unsigned char jpush[] = {
#embed "providers/jpush.json"
};
static const unsigned char leancloud[] = {
#embed "providers/leancloud.json"
};
static const unsigned char ntfy[] = {
#embed "providers/ntfy.json"
};
static const unsigned char onesignal[] = {
#embed "providers/onesignal.json"
};
static const unsigned char pushover[] = {
#embed "providers/pushover.json"
};
static const unsigned char tpns[] = {
#embed "providers/tpns.json"
};
static const unsigned char webhook[] = {
#embed "providers/webhook.json"
};

#define FILE_OF(name) {#name, name, sizeof(name)}

static const struct shipped_file shipped_files[] = {
    FILE_OF(expo), FILE_OF(gotify), FILE_OF(hms), FILE_OF(jpush),
    FILE_OF(leancloud), FILE_OF(ntfy), FILE_OF(onesignal), FILE_OF(pushover),
    FILE_OF(tpns), FILE_OF(webhook),
};
const size_t shipped_count = sizeof(shipped_files) / sizeof(shipped_files[0]);

struct shipped_file shipped_at(size_t index) { return shipped_files[index]; }
