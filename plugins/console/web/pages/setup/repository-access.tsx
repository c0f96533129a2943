import { ApiFailure, get, type Page, post, RecordField, SelectField, TextField, t } from '@tapline/console-kit';
import { atItsField } from './at-its-field.ts';
import { defaultOrganization } from './default-organization.ts';

/** How a repository is opened: `access` says which of the others count. */
export const closed = {
  access: 'public',
  credential: '',
  username: '',
  password: '',
  ssh_key_data: '',
  ssh_key_unlock: '',
};
type Access = Record<keyof typeof closed, string>;

const ways = [
  { value: 'public', label: t`Anybody may read it` },
  { value: 'password', label: t`With a user and a token or password` },
  { value: 'key', label: t`With an ssh key` },
  { value: 'stored', label: t`With a credential that is there already` },
];

interface Bound {
  name: string;
  value: string;
  errors: string[] | undefined;
  onValue: (value: string) => void;
}

/** Repositories of one's own are seldom public. */
export function RepositoryAccess({ bind }: { bind: (name: keyof Access) => Bound }) {
  const access = bind('access');
  return (
    <>
      <SelectField {...access} label={t`How it is read`} preset choices={ways} />
      {access.value === 'stored' && (
        <RecordField
          {...bind('credential')}
          label={t`Credential`}
          required
          list="credentials/?credential_type__namespace=scm&order_by=name"
        />
      )}
      {access.value === 'password' && (
        <>
          <TextField
            {...bind('username')}
            label={t`User`}
            hint={t`Many hosts of repositories take any with a token.`}
          />
          <TextField
            {...bind('password')}
            label={t`Token or password`}
            required
            type="password"
            autocomplete="new-password"
          />
        </>
      )}
      {access.value === 'key' && (
        <>
          <TextField {...bind('ssh_key_data')} label={t`Private ssh key`} required lines={6} code />
          <TextField
            {...bind('ssh_key_unlock')}
            label={t`Passphrase of the key`}
            type="password"
            autocomplete="new-password"
          />
        </>
      )}
    </>
  );
}

/** The credential by which the repository is read, which is made where it is not there yet; null for none. */
export async function credentialOf(values: Access, project: string): Promise<number | null> {
  const { access, credential } = values;
  if (access === 'public') return null;
  if (access === 'stored') {
    if (!credential) throw new ApiFailure(400, { credential: [t`Choose one.`] });
    return Number(credential);
  }
  const types = await get<Page<{ id: number }>>('credential_types/?namespace=scm&page_size=1');
  const body = {
    name: t`Repository of ${project}`,
    organization: await defaultOrganization(),
    credential_type: types.results[0]?.id,
    inputs: inputsOf(values),
  };
  const made = await post<{ id: number }>('credentials/', body).catch((error: unknown) => {
    throw error instanceof ApiFailure ? ofAccess(atItsField(error)) : error;
  });
  return made.id;
}

function inputsOf({ access, username, password, ssh_key_data, ssh_key_unlock }: Access): Record<string, string> {
  if (access === 'password') {
    if (!password) throw new ApiFailure(400, { password: [t`Type the token or the password here.`] });
    return { ...(username ? { username } : {}), password };
  }
  if (!ssh_key_data.trim()) throw new ApiFailure(400, { ssh_key_data: [t`Paste the private key here.`] });
  return { ssh_key_data: `${ssh_key_data.trim()}\n`, ...(ssh_key_unlock ? { ssh_key_unlock } : {}) };
}

/** Its name was not asked for: that it is taken is told where the way is chosen. */
function ofAccess(failure: ApiFailure): ApiFailure {
  if (failure.status !== 400) return failure;
  const { name, __all__: all, ...others } = failure.fields;
  const taken = [...(name ?? []), ...(all ?? [])];
  return new ApiFailure(400, taken.length ? { ...others, access: taken } : others);
}
