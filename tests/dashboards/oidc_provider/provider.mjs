// An OpenID Connect provider for the tests of the login. Arguments: port, address of the dashboard, lifetime of ID tokens in seconds.
// Its login form takes a user name; the groups of the user are in GROUPS.
import { Provider } from 'oidc-provider';

const [port, dashboard, lifetime] = process.argv.slice(2);
const issuer = `http://127.0.0.1:${port}`;
const GROUPS = { ada: ['driftd-operators'], ben: ['driftd-readers'], eve: ['accounting'] };

const provider = new Provider(issuer, {
  clients: [{
    client_id: 'driftd',
    client_secret: 'a-secret-of-the-client-for-tests',
    redirect_uris: [`${dashboard}/oauth2callback`],
    post_logout_redirect_uris: [`${dashboard}/oauth2callback`],
  }],
  claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
  conformIdTokenClaims: false, // groups are in the ID token itself, as with other providers
  cookies: { keys: ['cookies-of-the-provider-in-tests'] },
  features: { devInteractions: { enabled: true }, rpInitiatedLogout: { enabled: true } },
  ttl: { IdToken: Number(lifetime), AccessToken: 600, Interaction: 600, Session: 600, Grant: 600 },
  findAccount: (_context, id) => ({
    accountId: id,
    claims: () => ({ sub: id, name: id, email: `${id}@example.com`, email_verified: true, groups: GROUPS[id] ?? [] }),
  }),
});
provider.listen(Number(port), '127.0.0.1', () => console.log('ready'));
