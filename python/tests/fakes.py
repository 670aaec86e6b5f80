"""Stand-ins for packages that need not be installed: only what causcale asks of them."""


class PolarsLike:
    """A frame with columns, to_numpy, column access and length."""

    def __init__(self, columns):
        self._columns = columns

    @property
    def columns(self):
        return list(self._columns)

    def __len__(self):
        return len(next(iter(self._columns.values())))

    def __getitem__(self, name):
        return self._columns[name]

    def to_numpy(self):
        raise AssertionError("columns are taken one by one, as some may hold text")


class SparseLike:
    """A sparse matrix: slices, shape, toarray."""

    def __init__(self, array):
        self._array = array
        self.shape = array.shape

    def __getitem__(self, key):
        return SparseLike(self._array[key])

    def toarray(self):
        return self._array


class AnnDataLike:
    def __init__(self, array, names, obs, layers=None):
        self.X = SparseLike(array)
        self.var_names = names
        self.obs = obs
        self.layers = layers or {}
