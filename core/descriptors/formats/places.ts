import { ApiError } from '@tapline/plugin-sdk';

const most = 4;
const mostOfOne = 2;

/** Each holds a connection for as long as its client reads: there must be some left for everybody else. */
export class Places {
  readonly #callers: number[] = [];

  /** Resolves to what gives the place back. @throws ApiError 503 when all are taken, 429 when the caller has enough of them */
  take(caller: number): () => void {
    if (this.#callers.filter((one) => one === caller).length >= mostOfOne)
      throw new ApiError(429, `${mostOfOne} lists are being written for you already. Wait for one of them.`, {
        'Retry-After': '10',
      });
    if (this.#callers.length >= most)
      throw new ApiError(503, 'Too many lists are being written at once. Try again later.', { 'Retry-After': '10' });
    this.#callers.push(caller);
    return () => void this.#callers.splice(this.#callers.indexOf(caller), 1);
  }
}
