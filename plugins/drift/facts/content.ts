import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { parseExactly } from './exact-json.ts';

/** Facts as they are stored: a text of 37 kB becomes some 8 kB. */
export const packed = (text: string): Buffer => zstdCompressSync(text);

export const unpackedText = (content: Uint8Array): string => zstdDecompressSync(content).toString();

export const unpacked = (content: Buffer): Record<string, unknown> =>
  parseExactly(unpackedText(content)) as Record<string, unknown>;
