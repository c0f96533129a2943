import { ApiFailure, Form, get, type Page, post, TextField, useFields, t } from '@tapline/console-kit';
import type { StepFormProps } from './steps.tsx';
import { atItsField } from './at-its-field.ts';
import { defaultOrganization } from './default-organization.ts';

export function CredentialForm({ onDone }: StepFormProps) {
  const { values, errors, bind } = useFields({ name: '', username: '', ssh_key_data: '', ssh_key_unlock: '' });

  const submit = async () => {
    const { name, username, ssh_key_data, ssh_key_unlock } = values.value;
    const types = await get<Page<{ id: number }>>('credential_types/?namespace=ssh&page_size=1');
    const inputs = {
      username,
      ssh_key_data: ssh_key_data && `${ssh_key_data.trim()}\n`,
      ...(ssh_key_unlock ? { ssh_key_unlock } : {}),
    };
    if (!ssh_key_data.trim()) throw new ApiFailure(400, { ssh_key_data: [t`Paste the private key here.`] });
    const body = { name, organization: await defaultOrganization(), credential_type: types.results[0]?.id, inputs };
    const credential = await post<{ name: string }>('credentials/', body).catch((error: unknown) => {
      throw error instanceof ApiFailure ? atItsField(error) : error;
    });
    await onDone(t`${credential.name} is stored.`);
  };

  return (
    <Form
      submit={t`Store key`}
      errors={errors}
      known={['name', 'username', 'ssh_key_data', 'ssh_key_unlock']}
      onSubmit={submit}
    >
      <TextField {...bind('name')} label={t`Name`} required />
      <TextField
        {...bind('username')}
        label={t`User on the hosts`}
        hint={t`Empty means the user that the inventory names.`}
      />
      <TextField
        {...bind('ssh_key_data')}
        label={t`Private ssh key`}
        required
        lines={6}
        code
        placeholder={t`-----BEGIN OPENSSH PRIVATE KEY-----`}
      />
      <TextField
        {...bind('ssh_key_unlock')}
        label={t`Passphrase of the key`}
        type="password"
        autocomplete="new-password"
      />
    </Form>
  );
}
