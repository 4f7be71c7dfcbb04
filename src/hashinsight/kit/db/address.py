"""One database address, in the forms that SQLAlchemy, psycopg and ADBC expect."""

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

LOGIN_ROLE = "hashinsight"
SUPERUSER = "postgres"


@dataclass(frozen=True)
class DatabaseAddress:
    """`url` starts with postgresql:// and may hold a password, so it is never logged; `shown` may be."""

    url: str
    shown: str

    @property
    def is_embedded(self) -> bool:
        return self.shown.startswith("embedded")

    @property
    def sqlalchemy(self) -> str:
        return "postgresql+psycopg://" + self.url.split("://", 1)[1]

    @property
    def libpq(self) -> str:
        return "postgresql://" + self.url.split("://", 1)[1]


def address_from_url(url: str) -> DatabaseAddress:
    rest = url.split("://", 1)[1]
    return DatabaseAddress(url=url, shown=rest.rsplit("@", 1)[-1].split("?", 1)[0])


def address_of_socket(folder: Path, database: str, user: str = LOGIN_ROLE) -> DatabaseAddress:
    url = f"postgresql://{user}@/{database}?host={quote(str(folder), safe='')}&port=5432"
    return DatabaseAddress(url=url, shown=f"embedded PostgreSQL, database {database}")
