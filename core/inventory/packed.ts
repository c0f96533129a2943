interface Marker {
  rawJSON: string;
}

/** Variables on their way from one thread to another, where numbers that keep their digits cannot be copied. */
export interface Packed {
  value: unknown;
  /** stand in for such numbers; the same objects are in the value, also after the copy */
  markers: Marker[];
}

const isRaw = (value: unknown): value is Marker => (JSON as any).isRawJSON(value);

export function pack(value: unknown): Packed {
  const markers: Marker[] = [];
  const packed = replace(value, new Set(), (one) => {
    // JSON knows no sets and maps, whose entries would not be looked at either; a buffer would lose its kind
    if (one instanceof Map || one instanceof Set) return new Map();
    if (Buffer.isBuffer(one)) return one.toJSON();
    if (!isRaw(one)) return one;
    const marker = { rawJSON: one.rawJSON };
    markers.push(marker);
    return marker;
  });
  return { value: packed, markers };
}

export function unpack({ value, markers }: Packed): unknown {
  if (!markers.length) return value;
  const known = new Set<unknown>(markers);
  return replace(value, new Set(), (one) => (known.has(one) ? (JSON as any).rawJSON((one as Marker).rawJSON) : one));
}

/** In place, and what is shared (aliases) once: it may stand in a hundred places. */
function replace(value: unknown, seen: Set<object>, change: (value: object) => unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const changed = change(value);
  if (changed !== value || seen.has(value)) return changed;
  seen.add(value);
  for (const [key, item] of Object.entries(value)) {
    const next = replace(item, seen, change);
    if (next !== item)
      Object.defineProperty(value, key, { value: next, enumerable: true, writable: true, configurable: true });
  }
  return value;
}
