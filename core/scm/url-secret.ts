import { type Cell, isCiphertext, type KeyRing } from '../secrets/key-ring.ts';

/** One place for all of them: an update takes the address over from its project as it is. */
export const urlCell: Cell = { table: 'templates', column: 'scm_url', id: 0 };

const withPassword = /^([A-Za-z][\w+.-]*:\/\/[^/@:]*:)([^/]*)(@.*)$/;

function replacePassword(url: string, change: (password: string) => string): string {
  const parts = withPassword.exec(url);
  return parts?.[2] ? `${parts[1]}${change(parts[2])}${parts[3]}` : url;
}

/** As it is stored: the password in it is encrypted; one that is already stays. */
export const sealUrl = (keyRing: Pick<KeyRing, 'encrypt'>, url: string): string =>
  replacePassword(url, (password) => (isCiphertext(password) ? password : keyRing.encrypt(password, urlCell)));

/** As it is used. */
export const openUrl = (keyRing: Pick<KeyRing, 'decrypt'>, url: string): string =>
  replacePassword(url, (password) => (isCiphertext(password) ? keyRing.decrypt(password, urlCell) : password));

/** Sealed anew where `usesOldKey` says so. */
export const resealUrl = (
  url: string,
  usesOldKey: (text: unknown) => boolean,
  reseal: (text: string, cell: Cell) => string,
): string => replacePassword(url, (password) => (usesOldKey(password) ? reseal(password, urlCell) : password));
