#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The templates of users (tests/templates/user) on the GPU: a sample of each is
# right, its broken copy is caught, and two are tuned.
. "$(dirname "$0")/gpu_test.sh"
HONE_TEST_CACHE=$HONE_CACHE_DIR
export HONE HONE_SOURCE HONE_TEST_CACHE
sh "$HONE_SOURCE/tests/templates/user_templates.sh" "$DEVICE" 16
