import { host, verifySsl } from './fields.ts';
import type { ManagedType } from './managed-type.ts';

export const kubernetesType: ManagedType = {
  namespace: 'kubernetes_bearer_token',
  kind: 'kubernetes',
  name: 'OpenShift or Kubernetes API Bearer Token',
  description: 'Reaches a Kubernetes or OpenShift cluster by a token.',
  inputs: {
    fields: [
      host('OpenShift or Kubernetes API Endpoint', 'The address of the API, such as https://cluster.example.org:6443'),
      { id: 'bearer_token', label: 'API authentication bearer token', type: 'string', secret: true },
      { ...verifySsl, default: true },
      {
        id: 'ssl_ca_cert',
        label: 'Certificate Authority data',
        type: 'string',
        secret: true,
        multiline: true,
        help_text: 'The authority that signed the certificate of the API, in PEM form.',
      },
    ],
    required: ['host', 'bearer_token'],
  },
  give({ text, flag, file }) {
    const verified = flag('verify_ssl') && text('ssl_ca_cert') !== '';
    return {
      env: {
        K8S_AUTH_HOST: text('host'),
        K8S_AUTH_API_KEY: text('bearer_token'),
        K8S_AUTH_VERIFY_SSL: verified ? 'True' : 'False',
        ...(verified && { K8S_AUTH_SSL_CA_CERT: file('ca.crt') }),
      },
      ...(verified && { files: { 'ca.crt': text('ssl_ca_cert') } }),
    };
  },
};
