const tried = new Set([
  '12345678',
  '123456789',
  '1234567890',
  'admin',
  'admin123',
  'administrator',
  'ansible',
  'awx',
  'change-me',
  'change_me',
  'changeit',
  'changeme',
  'default',
  'letmein',
  'passw0rd',
  'password',
  'password1',
  'password123',
  'qwerty',
  'qwertyuiop',
  'root',
  'secret',
  'tapline',
  'test',
  'toor',
  'welcome',
  'welcome1',
]);

/** One that whoever comes by tries first: a common one in whatever case, or the name of the user. */
export function isWellKnownPassword(password: string, username: string): boolean {
  const text = password.trim().toLowerCase();
  return tried.has(text) || text === username.toLowerCase();
}
