#ifndef FANFARE_KEYS_HPP
#define FANFARE_KEYS_HPP

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "CSimdjson.h"

namespace fanfare {

/// The wanted keys, as a tree: `user.name` is the key `user.name` of the row, or failing that the key
/// `name` of the object at the row's key `user`.
class Keys {
public:
    static constexpr int32_t root = 0;
    static constexpr int32_t none = -1;

    Keys() {
        memset(buckets, 0xFF, sizeof buckets);
        nodes.emplace_back();
    }

    /// A key at one place of the tree.
    struct Node {
        int32_t parent = none;
        int32_t next_in_bucket = none;
        std::string name;
        /// Slots for which this key of the row is the whole name.
        std::vector<uint32_t> exact;
        /// Slots for which this key is the end of a path.
        std::vector<uint32_t> path;
        /// Slots of all paths that lead through this key.
        std::vector<uint32_t> below;
    };

    void want(std::string name, uint32_t slot) {
        if (exact_row.size() <= slot) exact_row.resize(slot + 1, 0);
        nodes[child(root, name)].exact.push_back(slot);
        if (name.find('.') == std::string::npos) return;
        int32_t node = root;
        size_t start = 0;
        while (true) {
            size_t dot = name.find('.', start);
            node = child(node, name.substr(start, dot - start));
            if (dot == std::string::npos) break;
            nodes[node].below.push_back(slot);
            start = dot + 1;
        }
        nodes[node].path.push_back(slot);
    }

    int32_t find(int32_t parent, const uint8_t *name, size_t length) const noexcept {
        int32_t node = buckets[bucket(parent, name, length)];
        while (node >= 0) {
            const Node &candidate = nodes[node];
            if (candidate.parent == parent && candidate.name.size() == length
                && memcmp(candidate.name.data(), name, length) == 0) return node;
            node = candidate.next_in_bucket;
        }
        return none;
    }

    bool leads_further(int32_t node) const noexcept { return !nodes[node].below.empty(); }

    bool is_wanted(int32_t node) const noexcept {
        return !nodes[node].exact.empty() || !nodes[node].path.empty();
    }

    /// Starts a row: nothing has been found under its exact name yet.
    void begin(fanfare_json_field *row_fields) noexcept {
        fields = row_fields;
        row++;
    }

    void record(int32_t node, fanfare_json_field field) noexcept {
        for (uint32_t slot : nodes[node].exact) {
            fields[slot] = field;
            exact_row[slot] = row;
        }
        for (uint32_t slot : nodes[node].path) {
            if (exact_row[slot] != row) fields[slot] = field;
        }
    }

    /// Forgets what was found below a key, because the key has come again and the last one counts.
    void forget_below(int32_t node) noexcept {
        for (uint32_t slot : nodes[node].below) {
            if (exact_row[slot] != row) fields[slot] = {0, 0};
        }
    }

private:
    /// Enough that the dozen keys of a row seldom share a bucket, and keys that no column wants find
    /// theirs empty. One kilobyte.
    static constexpr size_t bucket_count = 256;

    static size_t bucket(int32_t parent, const uint8_t *name, size_t length) noexcept {
        size_t ends = length == 0 ? 0 : name[0] * size_t(7) + name[length - 1] * size_t(31);
        return (ends + length * 67 + size_t(parent) * 131) % bucket_count;
    }

    size_t child(int32_t parent, const std::string &name) {
        auto bytes = reinterpret_cast<const uint8_t *>(name.data());
        int32_t found = find(parent, bytes, name.size());
        if (found >= 0) return size_t(found);
        int32_t &head = buckets[bucket(parent, bytes, name.size())];
        Node node;
        node.parent = parent;
        node.next_in_bucket = head;
        node.name = name;
        head = int32_t(nodes.size());
        nodes.push_back(std::move(node));
        return nodes.size() - 1;
    }

    std::vector<Node> nodes;
    int32_t buckets[bucket_count];
    fanfare_json_field *fields = nullptr;
    /// The row in which a slot's value was found under its exact name.
    std::vector<uint64_t> exact_row;
    uint64_t row = 0;
};

} // namespace fanfare

#endif
