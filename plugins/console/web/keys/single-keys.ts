import { signal } from '@preact/signals';

const stored = 'tapline.single-keys';

/** Keys without Ctrl or Cmd can be switched off: who dictates or trembles would set them off unawares. */
export const singleKeys = signal(localStorage.getItem(stored) !== 'off');

export function setSingleKeys(on: boolean): void {
  singleKeys.value = on;
  localStorage.setItem(stored, on ? 'on' : 'off');
}
