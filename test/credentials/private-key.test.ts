import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { expect } from 'chai';
import { passphraseFits, readPrivateKey } from '../../core/credentials/private-key.ts';
import { opensshKey, pemKey } from './ssh-keys.ts';

describe('private keys', () => {
  const plain: [string, () => string][] = [
    ['OpenSSH', () => opensshKey()],
    ['PKCS#8', () => pemKey()],
    ['PKCS#1', () => pemKey(undefined, 'pkcs1')],
  ];
  for (const [kind, make] of plain) {
    it(`in ${kind} form are recognised as not encrypted`, () => {
      expect(readPrivateKey(make().trim()).encrypted).to.equal(false);
    });
  }

  const locked: [string, (passphrase: string) => string][] = [
    ['OpenSSH', (passphrase) => opensshKey(passphrase)],
    ['OpenSSH with GCM', (passphrase) => opensshKey(passphrase, '-Z', 'aes256-gcm@openssh.com')],
    ['PKCS#8', (passphrase) => pemKey(passphrase)],
    ['PKCS#1', (passphrase) => pemKey(passphrase, 'pkcs1')],
  ];
  for (const [kind, make] of locked) {
    it(`in ${kind} form are opened by their passphrase alone`, async () => {
      const key = readPrivateKey(make('pass phräse'));
      expect(key.encrypted).to.equal(true);
      expect(await passphraseFits(key, 'pass phräse')).to.equal(true);
      expect(await passphraseFits(key, 'wrong')).to.equal(false);
    });
  }

  it('are not opened by any of many wrong passphrases, some of which decrypt to what no key is', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
    const opened = (index: number) => {
      const key = privateKey.export({
        type: 'pkcs1',
        format: 'pem',
        cipher: 'aes-128-cbc',
        passphrase: `right ${index}`,
      });
      try {
        createPrivateKey({ key, passphrase: 'wrong' });
      } catch (error) {
        return (error as NodeJS.ErrnoException).code === 'ERR_OSSL_UNSUPPORTED' ? String(key) : null;
      }
      return null;
    };
    let odd: string | null = null;
    // one in some hundred
    for (let index = 0; !odd && index < 20_000; index += 1) odd = opened(index);
    expect(odd, 'a key that decrypts to something else').to.be.a('string');
    expect(await passphraseFits(readPrivateKey(odd!), 'wrong')).to.equal(false);
  });

  it('under a cipher that cannot be tried are left to the engine', async () => {
    expect(
      await passphraseFits(readPrivateKey(opensshKey('pass', '-Z', 'chacha20-poly1305@openssh.com')), 'wrong'),
    ).to.equal(null);
  });

  const openssh = opensshKey();
  const lines = openssh.trim().split('\n');
  const bad: [string, string][] = [
    ['nothing', ''],
    ['text', 'canary'],
    ['a public key', 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIE6G canary'],
    ['a block without end', lines.slice(0, -1).join('\n')],
    ['a damaged body', [lines[0], lines[1]!.slice(4), ...lines.slice(2)].join('\n')],
    ['a cut body', [lines[0], lines[1], lines.at(-1)].join('\n')],
    ['an empty body', '-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----'],
    ['two keys', openssh + openssh],
    ['text around the key', `canary\n${openssh}`],
    ['a certificate', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'],
  ];
  for (const [what, text] of bad) {
    it(`are not ${what}`, () => {
      expect(() => readPrivateKey(text))
        .to.throw(/^is not a private key/)
        .and.not.match(/canary/);
    });
  }
});
