import { masked } from './masked.ts';
import { type Cell, isCiphertext, type KeyRing } from './key-ring.ts';

const withPassword = /^([A-Za-z][\w+.-]*:\/\/[^/@:]*:)([^/]*)(@.*)$/;

function replacePassword(url: string, change: (password: string) => string): string {
  const parts = withPassword.exec(url);
  return parts?.[2] ? `${parts[1]}${change(parts[2])}${parts[3]}` : url;
}

/**
 * A password belongs to the address that it stands in, in a project and in the updates that take the address over: in
 * another one it cannot be read.
 */
const cellOf = (url: string): Cell => ({
  table: 'templates',
  column: 'scm_url',
  id: replacePassword(url, () => masked),
});
/** That of passwords which were stored before they were bound to an address. */
const unbound: Cell = { table: 'templates', column: 'scm_url', id: 0 };

/** As it is stored: the password in it is encrypted. */
export const sealUrl = (keyRing: Pick<KeyRing, 'encrypt'>, url: string): string =>
  replacePassword(url, (password) => keyRing.encrypt(password, cellOf(url)));

/** As it is used. @throws where no key opens the password, or it comes from another address */
export const openUrl = (keyRing: Pick<KeyRing, 'decrypt'>, url: string): string =>
  replacePassword(url, (password) => (isCiphertext(password) ? openPassword(keyRing, password, url) : password));

function openPassword(keyRing: Pick<KeyRing, 'decrypt'>, password: string, url: string): string {
  try {
    return keyRing.decrypt(password, cellOf(url));
  } catch (error) {
    try {
      return keyRing.decrypt(password, unbound);
    } catch {
      throw error;
    }
  }
}

/** Sealed anew where `usesOldKey` says so. */
export const resealUrl = (keyRing: KeyRing, url: string, usesOldKey: (text: unknown) => boolean): string =>
  replacePassword(url, (password) =>
    usesOldKey(password) ? keyRing.encrypt(openPassword(keyRing, password, url), cellOf(url)) : password,
  );
