const privileged = 1024;

/** Why an address cannot be listened on, in one sentence with the remedy; other errors stay as they are. */
export function listenError(error: NodeJS.ErrnoException, { host, port }: { host: string; port: number }): Error {
  const remedies: Record<string, string> = {
    EADDRINUSE: `${host}:${port} is in use by another program; set PORT to a free port`,
    EADDRNOTAVAIL: `${host} is no address of this machine; set HOST to one that is, or to 0.0.0.0 for all`,
    ENOTFOUND: `HOST is "${host}", which no address belongs to; set it to an address of this machine`,
    EACCES:
      port < privileged
        ? `user ${process.getuid?.()} may not listen on port ${port}, as on any below ${privileged}; set PORT to a higher one, behind a proxy where need be`
        : `user ${process.getuid?.()} may not listen on ${host}:${port}; set PORT to another port`,
  };
  const text = remedies[error.code ?? ''];
  return text === undefined ? error : new Error(text, { cause: error });
}
