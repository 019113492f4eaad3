import * as models from '@kubernetes/client-node'

/** An object as it stands in a file of manifests, or is sent to the API server. */
export interface Manifest {
  apiVersion?: string
  kind?: string
  metadata?: { name?: string; namespace?: string; [field: string]: unknown }
  [field: string]: unknown
}

interface Attribute {
  baseName: string
  type: string
}

interface Validate {
  (data: unknown): boolean
  errors?: { instancePath: string; message?: string; params?: object }[]
}

/** Names of the groups of the API in the published schemas. */
const groups: Record<string, string> = {
  v1: 'CoreV1',
  'apps/v1': 'AppsV1',
  'policy/v1': 'PolicyV1',
  'networking.k8s.io/v1': 'NetworkingV1',
  'rbac.authorization.k8s.io/v1': 'RbacV1',
}

/**
 * The faults of an object, by the schemas that Kubernetes publishes (OpenAPI) and, for fields that these do not know, by
 * the models of its official client, which are made of the same. Empty: nothing. Unknown fields are refused, as an API server
 * does that is asked to be strict.
 */
export async function faultsOf(manifest: Manifest): Promise<string[]> {
  const { apiVersion = '', kind = '' } = manifest
  const group = groups[apiVersion]
  if (group === undefined) return [`The tests know no schema of ${apiVersion} ${kind}`]
  const { validate } = (await import(`kubernetes-models/_schemas/IoK8sApi${group}${kind}`)) as { validate: Validate }
  const isValid = validate(manifest)
  const wrong = (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message ?? 'is wrong'} ${JSON.stringify(params)}`,
  )
  const unknown = unknownIn(manifest, `V1${kind}`, '')
  return [...(isValid ? [] : wrong), ...unknown]
}

function unknownIn(value: unknown, type: string, path: string): string[] {
  const list = /^Array<(.+)>$/.exec(type)?.[1]
  if (list !== undefined)
    return Array.isArray(value) ? value.flatMap((one, at) => unknownIn(one, list, `${path}/${at}`)) : []
  const model = (models as Record<string, unknown>)[type] as { getAttributeTypeMap?: () => Attribute[] } | undefined
  if (!model?.getAttributeTypeMap || typeof value !== 'object' || value === null) return []
  const known = new Map(model.getAttributeTypeMap().map(({ baseName, type: of }) => [baseName, of]))
  return Object.entries(value).flatMap(([name, field]) => {
    const of = known.get(name)
    return of === undefined ? [`${path}/${name} is no field of ${type}`] : unknownIn(field, of, `${path}/${name}`)
  })
}
