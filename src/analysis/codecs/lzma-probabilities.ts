/** The layout of the probabilities of an LZMA decoder, see `lzma.ts`. */
const STATES = 12;
export const POSITION_STATES = 16;
const LENGTH_PROBABILITIES = 2 + POSITION_STATES * 8 * 2 + 256;
export const DISTANCE_SLOTS = 64;
export const LENGTH_STATES = 4;
const FULL_DISTANCES = 128;
export const ALIGN_BITS = 4;

/** The offset of each group of probabilities in one array. */
export const OFFSETS = (() => {
  let end = 0;
  const take = (count: number) => {
    end += count;
    return end - count;
  };
  return {
    isMatch: take(STATES * POSITION_STATES),
    isRepeat: take(STATES),
    isRepeat0: take(STATES),
    isRepeat1: take(STATES),
    isRepeat2: take(STATES),
    isRepeat0Long: take(STATES * POSITION_STATES),
    slots: take(LENGTH_STATES * DISTANCE_SLOTS),
    special: take(1 + FULL_DISTANCES),
    align: take(1 << ALIGN_BITS),
    length: take(LENGTH_PROBABILITIES),
    repeatLength: take(LENGTH_PROBABILITIES),
    literals: end,
  };
})();
