-- Some sign-ins end by themselves: those under a name that this machine's other servers share.
ALTER TABLE devices ADD COLUMN expires_at REAL;
