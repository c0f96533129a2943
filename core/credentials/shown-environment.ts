const hidden = '**********';
const secretName = /pass|secret|token|key|credential/i;

/** The environment of a run as the API shows it: whatever is or may hold a secret is hidden. */
export const shownEnvironment = (env: Record<string, string>, secrets: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).map(([name, value]) => {
      const secret =
        (secretName.test(name) && !name.startsWith('ANSIBLE_HOST_KEY')) ||
        secrets.some((text) => text && value.includes(text));
      return [name, secret ? hidden : value];
    }),
  );
