import { sourceHost } from '../../scm/url.ts';

/**
 * Answers git and ssh, which ask for names and passwords by one program, as long as they ask for the host of the source: what a
 * repository requires may lie anywhere. git asks `Password for 'https://me@host:8443': `, ssh `me@host's password: ` or, with
 * words of the server's choice behind, `(me@host) `; names in addresses cannot hold a quote or a bracket unescaped.
 * Nothing is answered in the open where the source is not itself. Who has nothing to answer with refuses, so that git says that the server asked.
 */
export function askpass(url: string, hasLogin = true): string {
  const host = hasLogin ? sourceHost(url) : null;
  if (!host) return '#!/bin/sh\nexit 1\n';
  return `#!/bin/sh
case "$1" in
  "("*) asker=\${1#(}; asker=\${asker%%)*}; case "$asker" in *"@${host.name}") ;; *) exit 1 ;; esac ;;
  *"@${host.name}'s password: ") ;;
  ${asking(url)}) case "$1" in *"//${host.place}': " | *"@${host.place}': ") ;; *) exit 1 ;; esac ;;
  *) exit 1 ;;
esac
case "$1" in
  Username*) cat "{workspace}/env/scm_username" ;;
  *) cat "{workspace}/env/scm_password" ;;
esac
`;
}

/** How git begins to ask for an address over TLS, or of the source's own kind. */
function asking(url: string): string {
  const own = /^(http|ftp|ftps):\/\//.exec(url)?.[1];
  const schemes = own ? ['https', own] : ['https'];
  return schemes.flatMap((scheme) => [`"Username for '${scheme}://"*`, `"Password for '${scheme}://"*`]).join(' | ');
}
