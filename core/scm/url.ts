import { masked } from '../secrets/masked.ts';
import { realpathSync } from 'node:fs';
import { posix } from 'node:path';

const schemes: Record<string, readonly string[]> = {
  git: ['ssh', 'git', 'git+ssh', 'http', 'https', 'ftp', 'ftps', 'file'],
  svn: ['http', 'https', 'svn', 'file'],
  archive: ['http', 'https'],
};

/** `user@host:path`, as git and ssh know it. Neither part may look like an option or a helper (`ext::`). */
const scpForm = /^(?:([\w.~-]+)@)?([A-Za-z0-9[][\w.:[\]-]*?):(?!\/\/|:)(\S+)$/;

/**
 * What is wrong with a source's address, or null. Refused besides wrong schemes: everything that git would take
 * for an option or a helper program, and folders of this machine other than the allowed ones.
 */
export function urlProblem(type: string, url: string, allowedFolders: readonly string[]): string | null {
  if (!url) return 'This source needs a URL.';
  if (/[\0-\x20\x7f]/.test(url)) return 'The URL must not contain blanks or control characters.';
  if (url.startsWith('-')) return 'The URL must not start with "-".';
  if (/^[\w+.-]+::/.test(url)) return 'Helper programs ("ext::" and the like) are not allowed.';
  const scheme = /^([A-Za-z][\w+.-]*):\/\//.exec(url)?.[1]?.toLowerCase();
  if (!scheme) {
    const scp = type === 'git' ? scpForm.exec(url) : null;
    return scp && !scp[3]!.startsWith('-') ? null : 'Not a URL of a known form.';
  }
  if (!(schemes[type] ?? []).includes(scheme)) return `URLs of the kind ${scheme}:// are not possible for ${type}.`;
  if (scheme === 'file') return fileProblem(url, allowedFolders);
  const parsed = URL.parse(url);
  if (!parsed?.hostname) return 'The URL has no host.';
  // ssh would take such a host or user for an option of its own
  if (parsed.hostname.startsWith('-') || decodeURIComponent(parsed.username).startsWith('-'))
    return 'The URL names a host or user that starts with "-".';
  return null;
}

function fileProblem(url: string, allowedFolders: readonly string[]): string | null {
  const path = filePath(url);
  const outside = 'file:// URLs are only possible below the folders of the setting PROJECT_FILE_URLS.';
  if (path === null) return outside;
  const inside = (candidate: string) =>
    allowedFolders.some((folder) => {
      const root = real(folder);
      return candidate === root || candidate.startsWith(root.endsWith('/') ? root : `${root}/`);
    });
  return inside(real(path)) ? null : outside;
}

/**
 * Where a source lies, letter by letter as the URL has it and git and ssh repeat it: `place` with the port that it names. Null for
 * folders, and hosts of odd names.
 */
export function sourceHost(url: string): { name: string; place: string } | null {
  const authority = /^[A-Za-z][\w+.-]*:\/\/([^/?#]*)/.exec(url)?.[1];
  const place = authority === undefined ? scpForm.exec(url)?.[2] : authority.slice(authority.lastIndexOf('@') + 1);
  if (!place || !/^[\w.:[\]-]+$/.test(place)) return null;
  return { name: place.replace(/:\d{1,5}$/, ''), place };
}

/** The folder that a file:// URL names; null when it names a host or cannot be read. */
export function filePath(url: string): string | null {
  const match = /^file:\/\/(\/.*)$/i.exec(url);
  if (!match) return null;
  try {
    const path = decodeURIComponent(match[1]!);
    return path.includes('\0') ? null : posix.normalize(path);
  } catch {
    return null;
  }
}

/** Links lead out of allowed folders: judged is where a path really ends. What does not exist cannot be a link. */
function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = posix.dirname(path);
    return parent === path ? path : posix.join(real(parent), posix.basename(path));
  }
}

/** git's rules for names, and nothing that reads as an option. */
export function branchProblem(branch: string): string | null {
  if (branch === '') return null;
  if (branch.startsWith('-')) return 'A branch must not start with "-".';
  if (/[\0-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|^\/|\/$|\.$|\.lock$/.test(branch))
    return 'Not a valid name of a branch, tag or commit.';
  return null;
}

export function refspecProblem(refspec: string): string | null {
  if (refspec === '') return null;
  if (refspec.startsWith('-')) return 'A refspec must not start with "-".';
  return /^\+?[\w./*@-]+(:refs\/[\w./*@-]+)?$/.test(refspec) && !refspec.includes('..') ? null : 'Not a valid refspec.';
}

/** The password of a URL, in its plain form; '' when there is none. */
export function urlPassword(url: string): string {
  const password = URL.parse(url)?.password ?? '';
  try {
    return decodeURIComponent(password);
  } catch {
    return password;
  }
}

/** For programs, whose arguments others on the machine may read. */
export const withoutPassword = (url: string): string =>
  url.replace(/^([A-Za-z][\w+.-]*:\/\/)([^/@:]*):[^/]*@/, (_all, scheme: string, user: string) =>
    user ? `${scheme}${user}@` : scheme,
  );

/** For people: without the password, and with nothing else changed. */
export const redactUrl = (url: string): string =>
  url.replace(/^([A-Za-z][\w+.-]*:\/\/[^/@:]*):([^/]*)@/, (_all, head: string) => `${head}:${masked}@`);

/** A redacted URL that comes back unchanged keeps its password. */
export const restoreUrl = (sent: string, stored: string): string =>
  sent.includes(`:${masked}@`) && sent === redactUrl(stored) ? stored : sent;
