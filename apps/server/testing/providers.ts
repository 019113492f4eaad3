/** Real providers of single sign-on, as processes or servers of their own. They need nothing of our server. */
export { clientSecret, type OidcIdp, startOidcIdp } from './oidc.idp.ts'
export { hasSimpleSaml, type SamlFilters, startSimpleSaml } from './simplesaml.ts'
export { baseDn, bindDn, bindPassword, hasSlapd, startSlapd } from './slapd.ts'
