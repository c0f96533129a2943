import { expect } from 'chai';
import { assertKnownKeys, ConfigError, loadConfig, redactConfig } from '../../core/config/config.ts';
import { createSettings } from '../../core/settings/settings.ts';

describe('the configuration', () => {
  it('holds without any variable', () => {
    const config = loadConfig({});
    expect(config).to.include({ port: 8052, host: '127.0.0.1', databaseUrl: '', logLevel: 'info' });
    expect(config.roles).to.deep.equal(['web', 'worker']);
  });

  it('refuses an unknown TAPLINE_ key, names it and the likely one', () => {
    const judge = (env: Record<string, string>) => assertKnownKeys(loadConfig(env), ['MAX_FORKS']);
    expect(() => judge({ TAPLINE_DTA: '/tmp' })).to.throw(ConfigError, /TAPLINE_DTA.*did you mean TAPLINE_DATA/);
    expect(() => judge({ TAPLINE_MAX_FROKS: '7' })).to.throw(ConfigError, /did you mean TAPLINE_MAX_FORKS/);
    expect(() => judge({ TAPLINE_QQQQ: '1' })).to.throw(ConfigError, /Unknown configuration key TAPLINE_QQQQ/);
    expect(() => judge({ TAPLINE_MAX_FORKS: '7' })).not.to.throw();
  });

  it('leaves variables of others alone', () => {
    expect(loadConfig({ TAPIR: '1', LANG: 'C' }).port).to.equal(8052);
  });

  it('names every wrong value at once', () => {
    const load = () => loadConfig({ PORT: 'web', TAPLINE_ROLES: 'web,cook', DATABASE_URL: 'mysql://x' });
    for (const said of [/PORT: must be a number/, /TAPLINE_ROLES/, /DATABASE_URL/])
      expect(load).to.throw(ConfigError, said);
  });

  it('takes settings as TAPLINE_<KEY> and checks them', () => {
    const settings = createSettings({
      config: loadConfig({ TAPLINE_MAX_FORKS: '7', TAPLINE_AD_HOC_COMMANDS: 'ping, setup' }),
    });
    expect(settings.get('MAX_FORKS')).to.equal(7);
    expect(settings.get('AD_HOC_COMMANDS')).to.deep.equal(['ping', 'setup']);
    expect(settings.get('ALLOW_JINJA_IN_EXTRA_VARS')).to.equal('template');
    expect(() => createSettings({ config: loadConfig({ TAPLINE_MAX_FORKS: 'many' }) })).to.throw(
      /TAPLINE_MAX_FORKS.*whole number/,
    );
  });

  it('is shown without its secrets', () => {
    const shown = JSON.stringify(
      redactConfig(
        loadConfig({
          ADMIN_PASSWORD: 'canary1',
          TAPLINE_SECRET_KEY: 'canary2',
          DATABASE_URL: 'postgres://svc:canary3@h/db',
        }),
      ),
    );
    expect(shown).not.to.contain('canary');
    expect(shown).to.contain('postgres://svc:[redacted]@h/db');
  });
});
