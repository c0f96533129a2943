import { t } from '@tapline/console-kit/texts';
/** What usually helps, by what the engine says. The first that fits is shown. */
const known: readonly [RegExp, string][] = [
  [
    /permission denied \(publickey|authentication failure|permission denied, please try again/i,
    t`The host does not accept the key or password. Check the machine credential of the template: user name, and that its key is in authorized_keys on the host.`,
  ],
  [
    /could not resolve hostname|name or service not known/i,
    t`The name of the host cannot be resolved. Set ansible_host among the variables of the host, or mend the name.`,
  ],
  [
    /connection (?:refused|timed out)|no route to host|operation timed out/i,
    t`The host does not answer. Is it up, and may the node that ran this reach its ssh port?`,
  ],
  [
    /host key verification failed|remote host identification has changed/i,
    t`The key of the host is another one than before. Make sure that it is the right host, then renew its entry in known_hosts.`,
  ],
  [
    /missing sudo password|sudo: a password is required|incorrect sudo password/i,
    t`Becoming another user needs a password: store it in the machine credential, or let the credential ask for it at launch.`,
  ],
  [
    /is undefined|undefined variable/i,
    t`A variable has no value. Give it in the extra variables of the launch, in the inventory, or a default in the playbook.`,
  ],
  [
    /could not find or access|file not found|no such file or directory|does not exist/i,
    t`A file or path is missing. Check the path, and whether the project has it at this revision.`,
  ],
  [
    /couldn't resolve module\/action|the role .* was not found/i,
    t`A module or role is not installed. Add it to collections/requirements.yml or roles/ of the project.`,
  ],
  [
    /interpreter|python.*not found|\/usr\/bin\/python/i,
    t`No usable Python was found on the host. Set ansible_python_interpreter among its variables.`,
  ],
  [
    /decryption failed|vault (?:password|secrets)/i,
    t`A vault could not be opened. Attach the right vault credential to the template.`,
  ],
  [
    /no hosts matched|provided hosts list is empty/i,
    t`No host matched: compare the hosts of the play with the inventory and the limit.`,
  ],
];

export const adviceFor = (text: string): string | null => known.find(([pattern]) => pattern.test(text))?.[1] ?? null;
