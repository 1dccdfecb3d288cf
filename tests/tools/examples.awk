# SPDX-License-Identifier: Apache-2.0
# Every fenced block of a document as a file of its own: NUMBER.KIND in the
# folder `out`, KIND being the first word of the info string and NUMBER the
# line of the fence; what else the info string says is in NUMBER.info. Blocks
# without an info string show no code, but for those of man pages (`plain`); one
# that has statements is NUMBER.untagged.
/^```/ && number {
    close(file)
    number = 0
    next
}
/^```/ {
    number = FNR
    kind = substr($1, 4)
    info = $0
    sub(/^[^ ]* */, "", info)
    if (kind == "" && info == "")
        kind = plain
    file = kind == "" ? "/dev/null" : out "/" number "." kind
    if (kind != "") {
        print info >(out "/" number ".info")
        close(out "/" number ".info")
    }
    next
}
number && kind == "" && /^#pragma hone/ { file = out "/" number ".untagged" }
number { print >file }
