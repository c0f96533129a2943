import type { ExecSpec } from '@tapline/plugin-sdk';

/** No kind of run may have a file of this name. */
const folder = 'env/ssh_agent';

/** Gives the passphrase once and then nothing: ssh-add would ask for ever where it is wrong. */
const ask = '#!/bin/sh\nfile="$TAPLINE_SSH_PASSPHRASE"\ncat "$file" 2>/dev/null\n: > "$file"\n';

/** Loads every key, forgets the files, then becomes the engine. The agent ends with the engine's process tree. */
const load = `
keys=$1
shift
for key in "$keys"/key_[0-9] "$keys"/key_[0-9][0-9]; do
  [ -e "$key" ] || continue
  said=$(TAPLINE_SSH_PASSPHRASE="\${key%/*}/passphrase_\${key##*_}" SSH_ASKPASS="$keys/ask" SSH_ASKPASS_REQUIRE=force DISPLAY=none ssh-add "$key" 2>&1 </dev/null) || {
    echo "The SSH key of the credential could not be loaded: is its passphrase right? ($said)"
    exit 5
  }
done
rm -rf "$keys"
exec "$@"`;

/** The key and its passphrase by file, readable for the engine's user alone, and only until they are loaded. */
export function agentFiles(keys: ExecSpec['sshKeys']): ExecSpec['files'] {
  if (!keys.length) return [];
  return [
    { path: `${folder}/ask`, content: Buffer.from(ask), mode: 0o700 },
    ...keys.flatMap(({ key, passphrase, certificate }, index) => [
      { path: `${folder}/key_${index}`, content: Buffer.from(key.endsWith('\n') ? key : `${key}\n`), mode: 0o600 },
      ...(passphrase === null
        ? []
        : [{ path: `${folder}/passphrase_${index}`, content: Buffer.from(passphrase), mode: 0o600 }]),
      // ssh-add loads it with the key it lies beside
      ...(certificate
        ? [{ path: `${folder}/key_${index}-cert.pub`, content: Buffer.from(`${certificate.trim()}\n`), mode: 0o600 }]
        : []),
    ]),
  ];
}

export const agentCommand = (): string[] => [
  '/usr/bin/ssh-agent',
  '/bin/sh',
  '-c',
  load,
  'sh',
  `{workspace}/${folder}`,
];
