import type { ExplainRule } from '@tapline/plugin-sdk';

/** What was said before the sentence that was found, without its full stop; '' where nothing was. */
const before = ({ input, index }: RegExpExecArray, said: RegExp): string =>
  said.exec(input.slice(0, index))?.[1]?.replace(/\.$/, '') ?? '';

/** What can be done about a fetch, by what git or ssh said; the first that fits. */
const remedies: readonly [RegExp, string][] = [
  [/certificate/i, 'Add the authority that signed it to those that this machine trusts.'],
  [/^could not read (?:Username|Password)/, 'The server asks for a login: give the project a credential.'],
  [/^Authentication failed/, 'Check the user name and the password or token of the credential.'],
  [/: Permission denied \(/, 'Check the user name and the password or key of the credential.'],
  [/Could not resolve host/i, 'Check the name of the host in the URL.'],
  [/Connection refused/i, 'Check the host and the port of the URL.'],
  [/not found$|not appear to be/, "Check the path of the URL, and that the credential's user may read what is there."],
];

/** ssh says why on the line before git's. */
const saidBySsh = /^(?!fatal: )(.{1,500})\r?\nfatal: Could not read from remote repository/m;
// not a task's failure: that one writes `fatal: [host]`
const saidByGit = /^fatal: (?!\[)(.{1,500})/m;

/** What goes wrong with a fetch, by what git, ansible-galaxy and our own script say. */
export const updateExplains: readonly ExplainRule[] = [
  [
    /^@ {1,10}WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!/m,
    () =>
      'The source could not be fetched: its host shows another key than it did before. If that key was changed on ' +
      'purpose, update once with "Delete on update" set: the source is fetched anew and the old key forgotten.',
  ],
  [
    /^The source could not be fetched\.$/m,
    (found) => {
      const said = before(found, saidBySsh) || before(found, saidByGit);
      const remedy = remedies.find(([sign]) => sign.test(said))?.[1] ?? 'Check the URL and the credential.';
      return said && `The source could not be fetched: ${said}. ${remedy}`;
    },
  ],
  [
    /^(The requirements of the project could not be installed)\.$/m,
    (found) => {
      const said = before(found, /^(?:\[ERROR\]|ERROR!):? (.{1,500})/m);
      return said && `${found[1]}: ${said}.`;
    },
  ],
  [/^The content of the project could not be verified: .{1,500}\.$/m, ([said]) => said!],
  [/^The (?:archive could not be (?:fetched|used)|source could not be exported): .{1,500}\.$/m, ([said]) => said!],
  [
    /^(The submodule ".{1,300}" could not be fetched)(?:: (.{1,500}))?\.$/m,
    (found) => {
      const said = found[2] ?? (before(found, saidBySsh) || before(found, saidByGit));
      return said ? `${found[1]}: ${said}.` : `${found[1]}.`;
    },
  ],
  [/^(?:There is no branch, tag or commit ".{0,500}"|The source is empty)\.$/m, ([said]) => said!],
];
