// SPDX-License-Identifier: BSD-3-Clause
// bwt: blocks of members, each compressed by libbzip2, for lists with a pattern that no other
// representation knows.
//
// Payload: of every `bwt_block` members (cmap_limits; the map keeps the value it was built with)
// what bzip2 makes of their differences, or their bits in the block's own width when that is less
// (bwt_codec.hpp); 8 bytes a block of directory, 16 in a list, and 16.  So a shuffled list takes at
// most what `packed` does and the directory, and less where members lie near one another.  select
// decompresses a block, 4 to 40 microseconds, unless it is the one that was decompressed last; of a
// block in its own width O(1).  rank is a search of one block in a set; in a list of the few blocks
// that may hold the index, or through the inverse.
//
// The last block decompressed is kept, in its own width, as long as all together is not more than a
// plain array; it counts as payload.  A thread takes it out of its slot by an exchange and puts it
// back: nobody else can free it meanwhile, nobody waits, and who finds the slot empty decompresses
// into a block of his own.
//
// What bzip2 will make of a block only bzip2 can tell, and a sample of blocks says nothing about
// the others.  So the estimator is the builder: it compresses, once, what it made is what the
// builder takes, and its size is exact.  That takes 10 to 300 ns a member, so it happens only where
// bytes alone count: under the space strategy, and there only for maps without a closed form or
// very few runs, or when the representation is forced.  For the others there is no bwt.
// (Mir Taheri, "Scalability of communicators in MPI", 2011, section 4.3.2; Burrows and Wheeler, "A
// block-sorting lossless data compression algorithm", 1994.)
#ifndef CMAP_REP_BWT_HPP_INCLUDED
#define CMAP_REP_BWT_HPP_INCLUDED

#include "core/registry.hpp"

namespace cmap {

extern const Representation bwt_representation;

}  // namespace cmap

#endif  // CMAP_REP_BWT_HPP_INCLUDED
