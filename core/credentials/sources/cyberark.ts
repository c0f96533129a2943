import type { CredentialSource, SecretLookup } from '@tapline/plugin-sdk';
import { ask, askFor, below, textWithin } from './json.ts';

export const centralCredentialProvider: CredentialSource = {
  namespace: 'aim',
  name: 'CyberArk Central Credential Provider Lookup',
  description: 'Reads accounts by the web service of the CyberArk Central Credential Provider.',
  fields: [
    { id: 'url', label: 'CyberArk CCP URL', format: 'url' },
    { id: 'webservice_id', label: 'Web Service ID', help_text: 'Left blank, AIMWebService.' },
    { id: 'app_id', label: 'Application ID', secret: true },
    { id: 'client_key', label: 'Client Key', secret: true, multiline: true },
    { id: 'client_cert', label: 'Client Certificate', secret: true, multiline: true },
    { id: 'verify', label: 'Verify SSL Certificates', type: 'boolean', default: true },
  ],
  metadata: [
    { id: 'object_query', label: 'Object Query', help_text: 'Such as Safe=TestSafe;Object=testAccountName123' },
    { id: 'object_query_format', label: 'Object Query Format', default: 'Exact', choices: ['Exact', 'Regexp'] },
    { id: 'object_property', label: 'Object Property', help_text: 'Left blank, Content: the password.' },
    { id: 'reason', label: 'Reason', help_text: 'Where the policy of the object asks for one.' },
  ],
  required: ['url', 'app_id', 'object_query'],
  async read(lookup) {
    const { text, flag } = lookup;
    const query = new URLSearchParams({
      AppId: text('app_id'),
      Query: text('object_query'),
      QueryFormat: text('object_query_format'),
      ...(text('reason') && { reason: text('reason') }),
    });
    const address = below(text('url'), encodeURIComponent(text('webservice_id') || 'AIMWebService'), 'api/Accounts');
    const said = await askFor(lookup, 'the account', `${address}?${query.toString().replaceAll('+', '%20')}`, {
      verifyTls: flag('verify'),
      tls: { ...(text('client_cert') && { cert: text('client_cert'), key: text('client_key') }) },
    });
    const property = text('object_property') || 'Content';
    // its own spelling differs from what the fields are called elsewhere
    return textWithin('the account', said, property.toLowerCase() === 'username' ? 'UserName' : property);
  },
};

export const conjur: CredentialSource = {
  namespace: 'conjur',
  name: 'CyberArk Conjur Secrets Manager Lookup',
  description: 'Reads variables of CyberArk Conjur.',
  fields: [
    { id: 'url', label: 'Conjur URL', format: 'url' },
    { id: 'api_key', label: 'API Key', secret: true },
    { id: 'account', label: 'Account' },
    { id: 'username', label: 'Username', help_text: 'A host is host/ and its name.' },
    {
      id: 'cacert',
      label: 'Public Key Certificate',
      multiline: true,
      help_text: 'The authority to trust, in PEM form.',
    },
  ],
  metadata: [
    { id: 'secret_path', label: 'Secret Identifier', help_text: 'Such as secrets/name' },
    { id: 'secret_version', label: 'Secret Version', help_text: 'Left blank, the newest one.' },
  ],
  required: ['url', 'api_key', 'account', 'username'],
  async read(lookup) {
    const { text, http } = lookup;
    const account = encodeURIComponent(text('account'));
    const token = await conjurToken(lookup, account);
    const version = text('secret_version') && `?version=${encodeURIComponent(text('secret_version'))}`;
    const address = below(text('url'), 'secrets', account, 'variable', encodeURIComponent(text('secret_path')));
    const { status, body } = await http.request(`${address}${version}`, {
      headers: { authorization: `Token token="${token}"` },
      tls: trusting(lookup),
    });
    if (status !== 200) throw new Error(`the variable was refused with ${status}`);
    return body.toString('utf8');
  },
};

const trusting = ({ text }: SecretLookup) => (text('cacert') ? { ca: text('cacert') } : {});

async function conjurToken(lookup: SecretLookup, account: string): Promise<string> {
  const { text } = lookup;
  const address = below(text('url'), 'authn', account, encodeURIComponent(text('username')), 'authenticate');
  const { status, body } = await ask(lookup, address, { method: 'POST', body: text('api_key'), tls: trusting(lookup) });
  if (status !== 200) throw new Error(`the login was refused with ${status}`);
  if (body === null) throw new Error('the login was answered with something that is no token');
  return Buffer.from(JSON.stringify(body)).toString('base64');
}
