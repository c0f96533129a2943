import { host, password, username } from './fields.ts';
import type { ManagedType } from './managed-type.ts';

const login = ['host', 'username', 'password'];

export const vmwareType: ManagedType = {
  namespace: 'vmware',
  kind: 'cloud',
  name: 'VMware vCenter',
  description: 'Reaches a VMware vCenter.',
  inputs: {
    fields: [host('VCenter Host', 'Host name or address of the vCenter.'), username, password],
    required: login,
  },
  give: ({ text }) => ({
    env: {
      VMWARE_HOST: text('host'),
      VMWARE_USER: text('username'),
      VMWARE_PASSWORD: text('password'),
      // most have a certificate of their own; a playbook may ask for more
      VMWARE_VALIDATE_CERTS: 'False',
    },
  }),
};

export const satelliteType: ManagedType = {
  namespace: 'satellite6',
  kind: 'cloud',
  name: 'Red Hat Satellite 6',
  description: 'Reads inventories from a Satellite or Foreman server.',
  inputs: {
    fields: [
      host('Satellite 6 URL', 'The address of the server, such as https://satellite.example.org'),
      username,
      password,
    ],
    required: login,
  },
  give: ({ text, use }) =>
    use === 'inventory'
      ? {
          env: {
            FOREMAN_SERVER: text('host'),
            FOREMAN_USER: text('username'),
            FOREMAN_PASSWORD: text('password'),
          },
        }
      : {},
};

export const ovirtType: ManagedType = {
  namespace: 'rhv',
  kind: 'cloud',
  name: 'Red Hat Virtualization',
  description: 'Reaches an oVirt or Red Hat Virtualization engine.',
  inputs: {
    fields: [
      host(
        'Host (Authentication URL)',
        'The address of the engine, such as https://ovirt.example.org/ovirt-engine/api',
      ),
      username,
      password,
      { id: 'ca_file', label: 'CA File', type: 'string', help_text: 'Path of the file with the authority to trust.' },
    ],
    required: login,
  },
  give({ text, file }) {
    // a value is a line
    const line = (id: string) => text(id).replace(/[\r\n]+/g, ' ');
    const settings = [
      ['ovirt_url', 'host'],
      ['ovirt_username', 'username'],
      ['ovirt_password', 'password'],
      ...(text('ca_file') ? [['ovirt_ca_file', 'ca_file']] : []),
    ].map(([name, id]) => `${name}=${line(id!)}`);
    return {
      files: { 'ovirt.ini': `[ovirt]\n${settings.join('\n')}\n` },
      env: {
        OVIRT_INI_PATH: file('ovirt.ini'),
        OVIRT_URL: text('host'),
        OVIRT_USERNAME: text('username'),
        OVIRT_PASSWORD: text('password'),
      },
    };
  },
};
