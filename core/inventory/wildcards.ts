/** `*` and `?` over the whole text, in time that grows with both lengths only. */
export function matchesWildcards(text: string, pattern: string): boolean {
  let [at, place, star, retry] = [0, 0, -1, 0];
  while (at < text.length) {
    if (pattern[place] === '*') {
      star = place++;
      retry = at;
    } else if (place < pattern.length && (pattern[place] === '?' || pattern[place] === text[at])) {
      at++;
      place++;
    } else if (star >= 0) {
      place = star + 1;
      at = ++retry;
    } else return false;
  }
  while (pattern[place] === '*') place++;
  return place === pattern.length;
}
