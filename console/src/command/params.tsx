// A form from the catalogue's own schema: numbers with limits and units, choices, switches, texts, secrets.
import { named, t } from "../i18n";

type Schema = {
  type?: string;
  enum?: string[];
  minimum?: number;
  maximum?: number;
  unit?: string;
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
};
export type Kind = {
  command_type: string;
  risk: string;
  effect: string;
  params: { properties: Record<string, Schema>; required: string[] };
  secret_params: string[];
};

function plain(schema: Schema): Schema {
  return schema.anyOf?.find((one) => one.type !== "null") ?? schema;
}

export function emptyParams(kind: Kind | undefined): Record<string, string> {
  return Object.fromEntries(Object.keys(kind?.params.properties ?? {}).map((name) => [name, ""]));
}

/** What the form says, typed; null while something needed is missing or is not what it should be. */
export function paramsOf(kind: Kind, given: Record<string, string>): Record<string, unknown> | null {
  const found: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(kind.params.properties)) {
    const text = (given[name] ?? "").trim();
    if (!text) {
      if (kind.params.required.includes(name)) return null;
      continue;
    }
    const value = read(plain(schema), text);
    if (value === undefined) return null;
    found[name] = value;
  }
  return found;
}

function read(schema: Schema, text: string): unknown {
  if (schema.type === "integer" || schema.type === "number") {
    const value = Number(text);
    const inside = value >= (schema.minimum ?? -Infinity) && value <= (schema.maximum ?? Infinity);
    return Number.isFinite(value) && inside ? value : undefined;
  }
  if (schema.type === "boolean") return text === "true";
  if (schema.type === "object") {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      return undefined;
    }
  }
  return text;
}

export function ParamFields({
  kind,
  given,
  setGiven,
}: {
  kind: Kind;
  given: Record<string, string>;
  setGiven: (given: Record<string, string>) => void;
}) {
  return (
    <>
      {Object.entries(kind.params.properties).map(([name, schema]) => (
        <Field
          key={name}
          name={name}
          schema={plain(schema)}
          required={kind.params.required.includes(name)}
          secret={kind.secret_params.includes(name)}
          value={given[name] ?? ""}
          onChange={(value) => setGiven({ ...given, [name]: value })}
        />
      ))}
    </>
  );
}

type FieldProps = {
  name: string;
  schema: Schema;
  required: boolean;
  secret: boolean;
  value: string;
  onChange: (value: string) => void;
};

function Field({ name, schema, required, secret, value, onChange }: FieldProps) {
  const numeric = schema.type === "integer" || schema.type === "number";
  const limits = numeric && schema.unit ? `${schema.minimum ?? ""}–${schema.maximum ?? ""} ${schema.unit}` : "";
  const choices = schema.enum ?? (schema.type === "boolean" ? ["true", "false"] : null);
  return (
    <label className="field">
      <span>
        {named("param", name)} {limits ? <span className="hint">{limits}</span> : null}
        {required ? null : <span className="hint"> · {t("cmd.optional")}</span>}
      </span>
      {choices ? (
        <select className="select" value={value} required={required} onChange={(event) => onChange(event.target.value)}>
          <option value="">{t("param.pick")}</option>
          {choices.map((one) => (
            <option key={one} value={one}>
              {named("choice", one)}
            </option>
          ))}
        </select>
      ) : (
        <input
          className="input"
          type={numeric ? "number" : secret ? "password" : "text"}
          autoComplete="off"
          placeholder={schema.properties ? `{"${Object.keys(schema.properties).join('": …, "')}": …}` : undefined}
          min={schema.minimum}
          max={schema.maximum}
          step={schema.type === "integer" ? 1 : "any"}
          required={required}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </label>
  );
}
