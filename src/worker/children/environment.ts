/**
 * What children see of the environment where nobody says more: how to find programs, homes, zones,
 * languages and certificates. Not among them: whatever may be a secret, such as the queue's URL.
 */
const HARMLESS: readonly string[] = [
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "LANG",
  "LANGUAGE",
  "LC_*",
  "TZ",
  "TERM",
  "NO_COLOR",
  "FORCE_COLOR",
  "NODE_ENV",
  "NODE_OPTIONS",
  "NODE_PATH",
  "NODE_EXTRA_CA_CERTS",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "SystemRoot",
  "ComSpec",
  "PATHEXT",
  "windir",
];

/** The part of an environment that children see. */
export function filtered(
  environment: NodeJS.ProcessEnv,
  more: readonly string[],
): Record<string, string> {
  const rules = [...HARMLESS, ...more];
  const isSeen = (name: string) => rules.some((rule) => matches(rule, name));
  const seen = Object.entries(environment).filter(([name]) => isSeen(name));
  return Object.fromEntries(seen) as Record<string, string>;
}

function matches(rule: string, name: string): boolean {
  return rule.endsWith("*") ? name.startsWith(rule.slice(0, -1)) : rule === name;
}
