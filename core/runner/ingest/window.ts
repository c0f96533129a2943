import type { Executor, Handle } from '../executor.ts';

const readBytes = 1_048_576;
const headBytes = 65_536;

/** The part of a spool stream that is in memory: from `offset`, the first byte that is not stored yet. */
export interface Window {
  readonly offset: number;
  readonly end: number;
  readonly bytes: Buffer;
  /** Reads on until the window reaches `to` (absolute) or there is nothing more now. */
  fillTo(to: number): Promise<void>;
  /** Reads one more piece; false when there is nothing more now. */
  fill(): Promise<boolean>;
  /** Finds the end of a line that is too long to be kept: its beginning, and where it ends. null = not written to its end yet. */
  skipLine(): Promise<{ line: string; end: number } | null>;
  /** Forgets everything before `to`. */
  discard(to: number): void;
  /** Starts again at an offset, with nothing in memory. */
  reset(offset: number): void;
}

export function createWindow(executor: Executor, handle: Handle, stream: 'events' | 'stdout'): Window {
  let offset = 0;
  let bytes: Buffer = Buffer.alloc(0);
  return {
    get offset() {
      return offset;
    },
    get end() {
      return offset + bytes.length;
    },
    get bytes() {
      return bytes;
    },
    async fill() {
      const piece = await executor.read(handle, stream, offset + bytes.length, readBytes);
      if (!piece.length) return false;
      bytes = bytes.length ? Buffer.concat([bytes, piece]) : piece;
      return true;
    },
    async fillTo(to) {
      const pieces = [bytes];
      let end = offset + bytes.length;
      while (end < to) {
        const piece = await executor.read(handle, stream, end, readBytes);
        if (!piece.length) break;
        pieces.push(piece);
        end += piece.length;
        if (piece.length < readBytes) break;
      }
      if (pieces.length > 1) bytes = Buffer.concat(pieces);
    },
    async skipLine() {
      for (let at = offset + bytes.length; ;) {
        const piece = await executor.read(handle, stream, at, readBytes);
        if (!piece.length) return null;
        const newline = piece.indexOf(10);
        if (newline !== -1) return { line: bytes.toString('utf8', 0, headBytes), end: at + newline + 1 };
        at += piece.length;
      }
    },
    discard(to) {
      bytes = bytes.subarray(Math.max(0, to - offset));
      offset = to;
    },
    reset(to) {
      offset = to;
      bytes = Buffer.alloc(0);
    },
  };
}
