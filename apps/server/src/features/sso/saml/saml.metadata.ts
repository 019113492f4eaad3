import type { SsoOptions } from '@app/contract'
import { fail } from '../../../platform/http/failure.ts'
import { pemOf } from './saml.certificates.ts'

type Node = { _?: string; $?: Record<string, string | undefined> } & { [name: string]: Node[] | undefined }

const redirect = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect'

/** All elements of this name below a node; xml2js gives names without their prefix. */
function elements(node: unknown, name: string): Node[] {
  if (typeof node !== 'object' || node === null) return []
  return Object.entries(node).flatMap(([key, value]) => {
    const own = key === name && Array.isArray(value) ? (value as Node[]) : []
    return [...own, ...(key === '$' ? [] : [value].flat().flatMap((child) => elements(child, name)))]
  })
}

/**
 * Reads the metadata of a SAML provider. With two certificates it exchanges one; both count.
 * @throws Failure invalid_request
 */
export async function readMetadata(
  xml: string,
): Promise<Pick<SsoOptions, 'entryPoint' | 'idpIssuer' | 'cert' | 'nextCert'>> {
  const refuse = (why: string, field = 'xml') => fail('invalid_request', why, { field })
  if (/<!\s*(DOCTYPE|ENTITY)/i.test(xml)) throw refuse('Metadata with a document type is not read')
  const { parseXml2JsFromString } = await import('@node-saml/node-saml/lib/xml.js')
  let root: unknown
  try {
    root = await parseXml2JsFromString(xml)
  } catch {
    throw refuse('This is not XML')
  }
  const all = elements(root, 'EntityDescriptor')
  const single = (root as { EntityDescriptor?: Node }).EntityDescriptor
  const providers = [...(single ? [single] : []), ...all].filter((one) => one.IDPSSODescriptor !== undefined)
  if (providers.length !== 1)
    throw refuse(
      providers.length === 0
        ? 'This is not the metadata of an identity provider'
        : 'This is the metadata of several identity providers',
    )
  const [provider] = providers as [Node]
  const descriptor = provider.IDPSSODescriptor
  const entryPoint = elements(descriptor, 'SingleSignOnService').find(({ $ }) => $?.Binding === redirect)?.$?.Location
  if (!entryPoint) throw refuse('The provider has no sign-in page with the HTTP-Redirect binding')
  const keys = elements(descriptor, 'KeyDescriptor').filter(({ $ }) => $?.use !== 'encryption')
  const certificates = new Set(
    elements(keys, 'X509Certificate').flatMap((one) => {
      const text = typeof one === 'string' ? one : one._
      return text === undefined ? [] : (pemOf(text) ?? [])
    }),
  )
  const [cert, nextCert] = certificates
  if (cert === undefined) throw refuse('The metadata has no certificate for signatures')
  if (certificates.size > 2) throw refuse('The metadata has more than two certificates for signatures')
  return { entryPoint, idpIssuer: provider.$?.entityID ?? '', cert, nextCert: nextCert ?? '' }
}
