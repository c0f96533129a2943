const quote = 34;
const newline = 10;
const carriage = 13;

/** Makes the ends of lines of CSV those of RFC 4180, chunk by chunk; those within quotes stay as they are. */
export function createCrlf(): (chunk: Uint8Array) => Uint8Array {
  let quoted = false;
  return (chunk) => {
    let ends = 0;
    for (const byte of chunk) if (byte === newline) ends += 1;
    const out = Buffer.allocUnsafeSlow(chunk.length + ends);
    let length = 0;
    for (const byte of chunk) {
      if (byte === quote) quoted = !quoted;
      else if (byte === newline && !quoted) out[length++] = carriage;
      out[length++] = byte;
    }
    return out.subarray(0, length);
  };
}
